/**
 * How a call really ended, for the digest. A filter's exit code says nothing about the command in front of it, and a
 * look at something that is not there is no failure that stays open.
 */
import type { ToolCall, ToolMessage } from '../protocol/message.ts'
import { isFiltered } from '../lib/command-text.ts'
import { looksFailed } from '../lib/output/signs.ts'
import { type CallLabel, textInput } from './call-label.ts'
import { isLook } from './fact.ts'
import { isStub } from './stub.ts'
import { CALL_TOOL } from '../lib/inner-call.ts'

/** `unclear`: nothing that was known before is changed by it. */
export type Outcome = 'done' | 'failed' | 'unclear'

export function outcomeOf(result: ToolMessage, call: ToolCall, label: CallLabel): Outcome {
  const ok = result.ok ?? true
  if (label.name === 'run_command') return commandOutcome(result.text, ok, textInput(label, ['command']))
  if (ok) return 'done'
  if (isLook(label) || READS.has(label.name)) return 'unclear'
  // A call that was never run, or was answered in the tool's place, changed nothing.
  return NEVER_RAN.has(result.code ?? '') || (call.name === CALL_TOOL && label.target === '')
    ? 'unclear'
    : 'failed'
}

const READS: ReadonlySet<string> = new Set(['read_file', 'search_text', 'search_code', 'recall'])
const NEVER_RAN: ReadonlySet<string> = new Set([
  'bad-arguments',
  'unknown-tool',
  'refused',
  'missing-path',
  'cut',
])

/** Programs that end with a failure where they find nothing. */
const LOOKUP =
  /^(?:grep|egrep|fgrep|rg|ls|cat|find|which|type|command|head|tail|stat|file|wc|test|\[|diff|git (?:grep|show|diff|log|status))(?:\s|$)/

const PASSED = /\bpass(?:ed|ing|es)?\b|\b0 (?:\w+ )?(?:fail|error)|\bfail\w*:? 0\b|\bok\b|\bsuccess|[✓✔]/i

function commandOutcome(text: string, ok: boolean, command: string): Outcome {
  const isLookup = LOOKUP.test(command.trim())
  if (!isFiltered(command)) return ok ? 'done' : isLookup ? 'unclear' : 'failed'
  if (isLookup) return ok ? 'done' : 'unclear'
  if (looksFailed(text)) return 'failed'
  return ok && (PASSED.test(text) || isStub(text)) ? 'done' : 'unclear'
}

/** Commands in quotes, so that a command is distinct from the text about it. */
export const failureKey = ({ name, target }: CallLabel): string =>
  name === 'run_command' ? `\`${target}\`` : `${name} ${target}`.trim()

/** Reads a line of failures back: what failed, and where it is said, how. */
export const readFailures = (text: string): readonly (readonly [string, string])[] =>
  text.startsWith('`') || !text.includes(': ')
    ? [...text.matchAll(/(`.*?`|[^`;]+?)(?:: (.*))?(?:; |$)/g)].map(
        ([, about = '', detail = '']) => [about, detail] as const,
      )
    : [[text.slice(0, text.indexOf(': ')), text.slice(text.indexOf(': ') + 2)] as const]
