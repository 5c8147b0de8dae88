/**
 * What each permission mode says by itself. Pure: it sees what a call would touch, never does anything. Rules, containment
 * and protected names are judged elsewhere; `bypass` lifts questions and names that decide what runs later, nothing else.
 */
import type { Verdict } from '../../protocol/guard.ts'
import type { PermissionMode } from '../../protocol/permission-modes.ts'
import type { Access } from '../../protocol/tool.ts'

/** `run` on its own is a command that nothing confines or that may write. */
type Kind = Access['kind'] | 'confined-read' | 'confined-run'

const table: Readonly<Record<PermissionMode, Readonly<Record<Kind, Verdict>>>> = {
  ask: {
    read: 'allow',
    'confined-read': 'allow',
    write: 'ask',
    'confined-run': 'ask',
    run: 'ask',
    fetch: 'ask',
    store: 'allow',
  },
  'accept-edits': {
    read: 'allow',
    'confined-read': 'allow',
    write: 'allow',
    'confined-run': 'ask',
    run: 'ask',
    fetch: 'ask',
    store: 'allow',
  },
  auto: {
    read: 'allow',
    'confined-read': 'allow',
    write: 'allow',
    'confined-run': 'allow',
    run: 'ask',
    fetch: 'ask',
    store: 'allow',
  },
  'read-only': {
    read: 'allow',
    'confined-read': 'allow',
    write: 'deny',
    'confined-run': 'deny',
    run: 'deny',
    fetch: 'deny',
    store: 'deny',
  },
  deny: {
    read: 'deny',
    'confined-read': 'deny',
    write: 'deny',
    'confined-run': 'deny',
    run: 'deny',
    fetch: 'deny',
    store: 'deny',
  },
  bypass: {
    read: 'allow',
    'confined-read': 'allow',
    write: 'allow',
    'confined-run': 'allow',
    run: 'allow',
    fetch: 'allow',
    store: 'allow',
  },
}

export type ModeQuestion = {
  readonly kind: Access['kind']
  /** It runs in a sandbox. */
  readonly sandboxed?: boolean
  /** As far as can be seen it only reads; without a sandbox that is not enough. */
  readonly readsOnly?: boolean
}

export function modeVerdict(mode: PermissionMode, { kind, sandboxed, readsOnly }: ModeQuestion): Verdict {
  const isConfined = kind === 'run' && sandboxed
  return table[mode][isConfined ? (readsOnly ? 'confined-read' : 'confined-run') : kind]
}

/** What a call does to its target, for the question. */
export const verbs: Readonly<Record<Access['kind'], string>> = {
  read: 'reads',
  write: 'changes',
  run: 'runs a command:',
  fetch: 'fetches',
  store: 'stores into',
}

/** Why the mode says no, and what can be done without it; what would allow it is said behind. */
export function refusal(mode: PermissionMode, { kind, target }: Access): string {
  if (modeVerdict(mode, { kind: 'read' }) === 'deny')
    return 'This session may use no tools. Answer without them.'
  const instead = INSTEAD[kind] ?? ''
  return `This session only reads, so ${target} was not ${DONE[kind]}.${instead}`
}

const INSTEAD: Partial<Record<Access['kind'], string>> = {
  write: ' Store the change with propose_patch instead.',
  store: ' Say it in the answer instead.',
}

const DONE: Readonly<Record<Access['kind'], string>> = {
  read: 'read',
  write: 'changed',
  run: 'run',
  fetch: 'fetched',
  store: 'changed',
}
