/**
 * The audit log: one line of JSON for every call that was refused and every one a person approved, appended and never
 * changed, so that an intrusion can be seen afterwards. No secret and no control character gets in; old lines leave only
 * by rotation.
 */
import { closeSync, constants, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { storageError } from '../lib/atomic-write.ts'
import { cleanControl } from '../lib/clean.ts'
import { clip } from '../lib/text.ts'
import type { AuditEntry } from '../protocol/guard.ts'

export type Audit = {
  /** On return the line is with the operating system. Throws when it cannot be written. */
  write(entry: AuditEntry): void
}

export type AuditParts = {
  readonly path: string
  /** The firewall: what goes into the log holds no secrets. */
  outgoingValue<Value>(value: Value): Value
  now?(): number
  /** From this size on a new file is begun; the last `keep` old ones stay. */
  readonly maxBytes?: number
  readonly keep?: number
}

const MAX_BYTES = 5 * 1024 * 1024
const KEEP = 3
const MAX_TEXT = 500
const MAX_TARGETS = 20

export function createAudit(parts: AuditParts): Audit {
  const { path, now = Date.now, maxBytes = MAX_BYTES, keep = KEEP } = parts
  return {
    write(entry) {
      const shown = bounded(parts.outgoingValue(entry))
      const line = `${JSON.stringify({ at: new Date(now()).toISOString(), ...shown })}\n`
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        if (append(path, line) >= maxBytes) rotate(path, keep)
      } catch (error) {
        throw storageError(path, error)
      }
    },
  }
}

function bounded(entry: AuditEntry): AuditEntry {
  const plain = (text: string): string => clip(cleanControl(text), MAX_TEXT)
  const { tool, targets, why } = entry
  return {
    ...entry,
    tool: plain(tool),
    why: plain(why),
    targets: targets.slice(0, MAX_TARGETS).map(plain),
  }
}

/** Opened for each line: another process may have begun a new file. A link planted in its place is not followed. */
function append(path: string, line: string): number {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants
  const descriptor = openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
  try {
    const bytes = Buffer.from(line)
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes.subarray(done))
    return fstatSync(descriptor).size
  } finally {
    closeSync(descriptor)
  }
}

/** `audit.log.1` is the newest of the old. */
function rotate(path: string, keep: number): void {
  for (let number = keep - 1; number >= 1; number--) moveIfThere(`${path}.${number}`, `${path}.${number + 1}`)
  moveIfThere(path, `${path}.1`)
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}
