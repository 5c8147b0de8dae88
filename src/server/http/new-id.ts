import { randomUUID } from 'node:crypto'

/** Random, so that nobody can guess the ids of others. Node keeps UUIDs in stock; random bytes are made one by one. */
export const newId = (prefix: string): string => `${prefix}${randomUUID().replaceAll('-', '')}`
