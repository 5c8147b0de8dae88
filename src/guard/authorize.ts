/**
 * What the permission mode says to a call. Pure: it sees what the call would touch, never does anything. Containment and
 * protected names are judged elsewhere and hold in every mode, `bypass` included.
 */
import type { Authorization, Authorize } from '../protocol/guard.ts'
import type { Access } from '../protocol/tool.ts'

export const permissionModes = ['ask', 'accept-edits', 'auto', 'read-only', 'deny', 'bypass'] as const
export type PermissionMode = (typeof permissionModes)[number]

export const createAuthorize =
  ({ mode }: { readonly mode: PermissionMode }): Authorize =>
  async ({ call, access }) => {
    const [strictest] = access
      .map((touched) => ({ touched, verdict: table[mode][touched.kind] }))
      .toSorted((a, b) => severity[b.verdict] - severity[a.verdict])
    if (!strictest || strictest.verdict === 'allow')
      return { verdict: 'allow', why: `allowed by mode ${mode}` }
    return strictest.verdict === 'ask'
      ? { verdict: 'ask', why: describe(call.name, strictest.touched) }
      : { verdict: 'deny', why: refusal(mode, strictest.touched) }
  }

type Verdict = Authorization['verdict']

const severity: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 }

/** `auto` asks before commands because nothing confines them yet. */
const table: Readonly<Record<PermissionMode, Readonly<Record<Access['kind'], Verdict>>>> = {
  ask: { read: 'allow', write: 'ask', run: 'ask' },
  'accept-edits': { read: 'allow', write: 'allow', run: 'ask' },
  auto: { read: 'allow', write: 'allow', run: 'ask' },
  'read-only': { read: 'allow', write: 'deny', run: 'deny' },
  deny: { read: 'deny', write: 'deny', run: 'deny' },
  bypass: { read: 'allow', write: 'allow', run: 'allow' },
}

const verbs: Readonly<Record<Access['kind'], string>> = {
  read: 'reads',
  write: 'changes',
  run: 'runs a command:',
}

const describe = (tool: string, { kind, target }: Access): string => `${tool} ${verbs[kind]} ${target}`

const refusal = (mode: PermissionMode, { kind, target }: Access): string =>
  mode === 'read-only'
    ? `This session only reads, so ${target} was not ${kind === 'run' ? 'run' : 'changed'}. Describe the change instead; the person can allow it with --permission ask.`
    : `This session may use no tools. Answer without them; the person can allow them with --permission ask.`
