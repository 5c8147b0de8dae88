/** A promoted function as a tool: always in the sandbox, and only as the code a person agreed to. */
import { AppError } from '../protocol/error.ts'
import type { Trust } from '../protocol/guard.ts'
import { defineTool, type Exec, type Tool, type ToolContext, type ToolResult } from '../protocol/tool.ts'
import { cleanControl } from '../lib/clean.ts'
import { isObject } from '../lib/json.ts'
import {
  callFunction,
  type FunctionCode,
  type FunctionLanguage,
  MAX_SOURCE,
  type Runner,
} from './function-language.ts'
import { type Promoted, type PromotedStore, toInput } from './promoted-store.ts'
import { python } from './python/language.ts'
import { typescript } from './typescript/language.ts'

export const languages: Readonly<Record<Promoted['language'], FunctionLanguage>> = { python, typescript }

export type PromotedParts = {
  readonly store: PromotedStore
  readonly trust: Trust
  /** Where functions run, whatever else the session's commands are let do; throws where nothing confines them. */
  confined(): Promise<Pick<Exec, 'program' | 'executable'>>
}

export function createPromotedTool(promoted: Promoted, parts: PromotedParts): Tool {
  const { name, description, category = 'meta', hash } = promoted
  return defineTool({
    name,
    description,
    category,
    input: toInput(promoted),
    // It may wait for a person; the call itself has its own limit.
    timeoutMs: Infinity,
    // No program has this name: it is never taken for a command that only reads.
    access: () => [{ kind: 'run', target: `promoted-function ${name} ${hash.slice(0, 12)}` }],

    async run(input, context) {
      const source = await agreedSource(promoted, parts, context)
      const exec = await parts.confined()
      const result = await call(promoted, { source, input }, { ...context, exec })
      const executable = await exec.executable?.()
      return { ...result, ...(executable && { executable }) }
    },
  })
}

/** Changed code needs approval again; without a user to ask it does not run. */
async function agreedSource(
  promoted: Promoted,
  { store, trust }: PromotedParts,
  { ask, signal }: Pick<ToolContext, 'ask' | 'signal'>,
): Promise<string> {
  const { name } = promoted
  const { source, hash } = await store.read(promoted)
  if (trust.isTrusted(store.pathOf(name), hash)) return source
  if (Buffer.byteLength(source) > MAX_SOURCE)
    throw denied(`${name} was changed and is too long to be looked at.`)
  const question = `The function behind ${name} is not the one you agreed to. Use it as it is now?\n${forPerson(source)}`
  const answer = await ask({ question, options: [YES, 'no'] }, signal)
  if (answer !== YES) throw denied(`${name} was changed, and the person does not want it to run.`)
  await trust.add(store.pathOf(name), hash)
  return source
}

export const YES = 'yes'

export const denied = (message: string): AppError =>
  new AppError('permission-denied', message, { failure: 'denied' })

/** What is shown is what runs, all of it, hidden characters included. */
export const forPerson = (source: string): string => cleanControl(source)

async function call(
  { language, function: inCode, parameters, name }: Promoted,
  { source, input }: { readonly source: string; readonly input: unknown },
  runner: Runner,
): Promise<ToolResult> {
  const code: FunctionCode = { source, function: inCode }
  const values = isObject(input) ? input : {}
  const properties = parameters['properties']
  const order = isObject(properties) ? Object.keys(properties) : []
  const outcome = await callFunction(languages[language], code, { input: { values, order }, runner })
  if (runner.signal.aborted) {
    throw new AppError('tool-failed', `${name} was cancelled.`, { failure: 'interrupted' })
  }
  if (outcome.ok) return { ok: true, text: outcome.text === '' ? '(empty text)' : outcome.text }
  return { ok: false, code: outcome.failure ?? 'failed', text: outcome.text }
}
