/**
 * A path outside the project that a person opened for one command. What does not exist yet can only be bound once it
 * does, so it is made before the command and, if that did nothing with it, removed after it.
 */
import { mkdirSync, realpathSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, normalize } from 'node:path'
import { isInside } from '../../lib/path.ts'
import type { Terms } from './context.ts'

export type OpenGrant = { readonly path?: string; close(): void }

/** A path that ends with a slash is a folder to be. */
export function openGrant({ grant }: Terms, project: string): OpenGrant {
  if (grant?.kind !== 'write') return NONE
  const path = normalize(grant.path).replace(/(?<=.)\/$/, '')
  const known = real(path)
  // What was asked for, not what a link has led to since.
  if (known !== undefined) return known === path ? { path, close: () => {} } : NONE
  if (real(dirname(path)) !== dirname(path)) return NONE
  if (isInside(project, path)) return { path, close: () => {} }
  try {
    if (grant.path.endsWith('/')) mkdirSync(path)
    else writeFileSync(path, '', { flag: 'wx' })
  } catch {
    return NONE
  }
  return { path, close: () => removeEmpty(path) }
}

const NONE: OpenGrant = { close: () => {} }

function real(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function removeEmpty(path: string): void {
  try {
    const info = statSync(path)
    if (info.isDirectory()) rmdirSync(path)
    else if (info.size === 0) unlinkSync(path)
  } catch {
    // It holds something, or is gone: both are the command's doing.
  }
}
