/**
 * A model that would do a small task perfectly and spoils its replies in one way. It decides from the disk and from what
 * it is shown, so that a run may take any number of requests.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerReply } from '../../support/model-server/reply.ts'

export type Act = { readonly name: string; readonly args: Readonly<Record<string, string>> }
type Step = { readonly act?: Act; readonly lastResult: string }
/** Nothing where this reply cannot be spoiled in this way. */
export type Spoil = (act: Act, step: Step) => ServerReply | undefined

export const PROMPT =
  'Change limit to 20 in src/a.js, write src/b.js that exports unit = "px", then run `node check.mjs`.'

const A = [
  'export const limit = 10',
  "export const name = 'a < b'",
  'export function twice(value) {',
  '  return value * 2',
  '}',
  '',
].join('\n')

export const B = "export const unit = 'px'\nexport const scale = 1\n"

export const FILES: Readonly<Record<string, string>> = {
  'src/a.js': A,
  'check.mjs': `import { limit, name, twice } from './src/a.js'
import { unit, scale } from './src/b.js'
const ok = limit === 20 && name === 'a < b' && twice(2) === 4 && unit === 'px' && scale === 1
console.log(ok ? 'CHECK IS FINE' : 'CHECK IS BAD')
if (!ok) process.exit(1)
`,
}

export const CHANGED = A.replace('10', '20')

type Request = { readonly messages: readonly Record<string, unknown>[] }

/** What a perfect model would do next. */
function nextStep(root: string, { messages }: Request): Step {
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content))
  const shown = messages
    .slice(2)
    .map(({ content }) => textOf(content))
    .join('\n')
  const lastResult = results.at(-1) ?? ''
  const file = readFileSync(join(root, 'src/a.js'), 'utf8')
  const b = join(root, 'src/b.js')
  const act = (name: string, args: Act['args']): Step => ({ act: { name, args }, lastResult })
  if (file !== CHANGED) {
    if (!shown.includes('limit = 1')) return act('read_file', { path: 'src/a.js' })
    if (file !== A) return act('write_file', { path: 'src/a.js', content: CHANGED, overwrite: 'true' })
    return act('edit_file', { path: 'src/a.js', old: A.slice(0, 51), new: CHANGED.slice(0, 51) })
  }
  if (!existsSync(b)) return act('write_file', { path: 'src/b.js', content: B })
  if (readFileSync(b, 'utf8') !== B) {
    return act('write_file', { path: 'src/b.js', content: B, overwrite: 'true' })
  }
  if (!shown.includes('CHECK IS FINE')) return act('run_command', { command: 'node check.mjs' })
  return { lastResult }
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content ?? '')

const perfect = ({ act }: Step): ServerReply =>
  act
    ? { calls: [{ name: act.name, arguments: act.args }] }
    : { text: 'limit is 20 now, src/b.js is there, and the check passes.' }

export type Player = { reply(request: Request): ServerReply; readonly spoilt: number }

/** Spoils the first `times` replies to every step; the next one is perfect. */
export function createPlayer(root: string, spoil: Spoil, times: number): Player {
  const tries = new Map<string, number>()
  let spoilt = 0
  return {
    reply(request) {
      const step = nextStep(root, request)
      const key = step.act?.name ?? ''
      const tried = tries.get(key) ?? 0
      tries.set(key, tried + 1)
      const reply = step.act && tried < times ? spoil(step.act, step) : undefined
      if (reply) spoilt++
      return reply ?? perfect(step)
    },
    get spoilt() {
      return spoilt
    },
  }
}
