/**
 * `promote_skill`: a function the agent wrote becomes a tool. Everything that can be checked is checked first, then the
 * person sees the code and decides; without a person nothing is promoted.
 */
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { defineTool, type Tool, type ToolContext } from '../protocol/tool.ts'
import { isObject } from '../lib/json.ts'
import { resolveName } from '../lib/nearest.ts'
import { clip } from '../lib/text.ts'
import {
  type FunctionCode,
  type FunctionFacts,
  type FunctionLanguage,
  MAX_SOURCE,
  runExample,
  type Runner,
} from './function-language.ts'
import { type Promoted, toolName } from './promoted-store.ts'
import { denied, forPerson, languages, type PromotedParts, YES } from './promoted-tool.ts'

export type PromoteParts = PromotedParts & {
  /** Names that are taken for good: the built-in tools. */
  reserved(): readonly string[]
  /** Of tools that were promoted before: these may be replaced. */
  promoted(): readonly string[]
  /** It can be called from now on. */
  onPromoted(promoted: Promoted): void
}

/** A `description` may be given as well; it is not asked for, because the documentation has one. */
const input = z.looseObject({ file: z.string(), function: z.string(), name: z.string() })
type Wish = z.output<typeof input>

export const createPromoteTool = (parts: PromoteParts): Tool =>
  defineTool({
    name: 'promote_skill',
    description: 'Make a function a tool',
    category: 'meta',
    input,
    paths: ['file'],
    // It waits for a person.
    timeoutMs: Infinity,
    access: ({ file, name }) => [
      { kind: 'read', target: file },
      { kind: 'run', target: `promoted-function ${name}` },
    ],

    async run(wish, context) {
      requireName(wish.name, parts)
      const language = requireLanguage(wish.file)
      const code = { source: await requireSource(wish.file, context), function: wish.function }
      const runner = { ...context, exec: await parts.confined() }
      const facts = await requireSound(language, code, runner)
      const { name } = wish
      const description = requireDescription(wish, facts)
      await requireExample(language, code, runner)
      const isReplaced = parts.promoted().includes(name)
      await requireConsent(wish, { source: code.source, description, isReplaced }, context)
      const draft = {
        name,
        description,
        language: language.name,
        function: wish.function,
        parameters: facts.parameters,
      }
      const promoted = await parts.store.save(draft, code.source)
      await parts.trust.add(parts.store.pathOf(name), promoted.hash)
      parts.onPromoted(promoted)
      return `${name} is a tool now; its example ran. Call it as ${signature(promoted)}.`
    },
  })

const refused = (message: string): AppError =>
  new AppError('tool-failed', message, { failure: 'bad-arguments' })

function requireName(name: string, { reserved, promoted }: PromoteParts): void {
  if (!toolName.test(name) || name.length > 64) {
    throw refused(`"${clip(name, 60)}" is no name for a tool; use snake_case, such as count_words.`)
  }
  if (promoted().includes(name)) return
  const taken = resolveName(name, reserved())
  if (taken) throw refused(`${name} is taken by the tool ${taken}; choose another name.`)
}

function requireLanguage(file: string): FunctionLanguage {
  if (/\.py$/i.test(file)) return languages.python
  if (/\.m?ts$/i.test(file)) return languages.typescript
  throw refused(`${file} is neither Python (.py) nor TypeScript (.ts).`)
}

/** Through the guard, so that it lies inside the workspace. */
async function requireSource(file: string, { files, signal }: ToolContext): Promise<string> {
  const source = await files.read(file, signal)
  if (Buffer.byteLength(source) <= MAX_SOURCE) return source
  throw refused(`${file} is over ${MAX_SOURCE / 1000} kB; put the function into a file of its own.`)
}

async function requireSound(language: FunctionLanguage, code: FunctionCode, runner: Runner) {
  if (!/^[A-Za-z_$][\w$]*$/.test(code.function))
    throw refused(`"${clip(code.function, 60)}" is no name of a function.`)
  const facts = await language.inspect(code, runner)
  if (facts.problems.length === 0) return facts
  throw new AppError(
    'tool-failed',
    `${code.function} cannot be a tool yet:\n- ${facts.problems.join('\n- ')}`,
  )
}

/** One line that says what the tool does. */
function requireDescription({ description, function: inCode }: Wish, { summary }: FunctionFacts): string {
  const given = typeof description === 'string' ? description : ''
  const line = clip((given.trim() || summary).replaceAll(/\s+/g, ' '), 200)
  if (line !== '') return line
  throw refused(`The documentation of ${inCode} does not begin with a line that says what it does; add one.`)
}

async function requireExample(language: FunctionLanguage, code: FunctionCode, runner: Runner): Promise<void> {
  const outcome = await runExample(language, code, runner)
  if (outcome.ok) return
  throw new AppError('tool-failed', `The example of ${code.function} failed:\n${outcome.text}`)
}

type Shown = { readonly source: string; readonly description: string; readonly isReplaced: boolean }

async function requireConsent(
  { name, file, function: inCode }: Wish,
  { source, description, isReplaced }: Shown,
  { ask, signal }: ToolContext,
): Promise<void> {
  const what = isReplaced ? `Replace the tool ${name}` : `Make a tool ${name}`
  const question = `${what} from ${inCode} in ${file}? It stays in later sessions.\n${description}\n\n${source}`
  if ((await ask({ question: forPerson(question), options: [YES, 'no'] }, signal)) === YES) return
  throw denied('The person does not want this function as a tool.')
}

function signature({ name, parameters }: Promoted): string {
  const properties = isObject(parameters['properties']) ? Object.keys(parameters['properties']) : []
  const required = Array.isArray(parameters['required']) ? (parameters['required'] as unknown[]) : []
  return `${name}{${properties.map((each) => (required.includes(each) ? each : `[${each}]`)).join(', ')}}`
}
