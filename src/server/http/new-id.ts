import { randomUUID } from 'node:crypto'

/** Random, so that the ids of others cannot be guessed. Node keeps UUIDs in stock; random bytes are made one by one. */
export const newId = (prefix: string): string => `${prefix}${randomUUID().replaceAll('-', '')}`
