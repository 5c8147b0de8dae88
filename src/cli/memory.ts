/** `covey memory`: what is remembered in this project and everywhere; adding, finding, removing and exporting it. */
import { cleanControl, jsonLine } from '../lib/clean.ts'
import { AppError } from '../protocol/error.ts'
import { type FactKind, factKinds } from '../protocol/fact-kinds.ts'
import { asUsage, requireAction } from './action.ts'
import type { Command, CommandContext } from './command.ts'

type Fact = {
  readonly id: number
  readonly kind: FactKind
  readonly text: string
  readonly isGlobal: boolean
  readonly source: string
  readonly addedAt: number
  readonly uses: number
  readonly supersededBy?: number
}

type NewFact = {
  readonly text: string
  readonly kind?: FactKind
  readonly isGlobal: boolean
  readonly source: string
}

/** As much of the memory as a person needs. */
interface MemoryService {
  add(
    fact: NewFact,
  ): Promise<{ readonly fact: Fact; readonly outcome: string; readonly replaced: readonly number[] }>
  recall(
    query: string,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly { readonly fact: Fact }[]>
  /** What finds facts by their meaning as well; absent = they are found by their words. */
  readonly embeddingModel?: string
  list(): Promise<readonly Fact[]>
  remove(id: number): Promise<boolean>
  close(): Promise<void>
}

type OpenMemory = (env: NodeJS.ProcessEnv, cwd: string) => Promise<MemoryService>

export const createMemoryCommand = (open: OpenMemory): Command => ({
  name: 'memory',
  summary: 'List, search, add, remove or export what is remembered',
  usage: '[ls | search <words> | add <text> | rm <id> | export]',
  options: [
    { flags: '--kind <kind>', description: `one of ${factKinds.join(', ')}` },
    { flags: '--global', description: 'add: for every project, not only this one' },
    { flags: '-a, --all', description: 'ls: also facts that a newer one replaced' },
    { flags: '--format <name>', description: 'export: jsonl or md (jsonl)' },
  ],
  examples: [
    'covey memory',
    'covey memory add "The API listens on port 8080"',
    'covey memory add "Short answers, no lists" --kind preference --global',
    'covey memory search port',
    'covey memory rm 12',
    'covey memory export --format md',
  ],
  async run(context) {
    const [name = 'ls', ...args] = context.args
    const action = requireAction('memory', actions, name)
    const service = await open(context.env, context.cwd)
    try {
      await action(service, { ...context, args })
    } finally {
      await service.close()
    }
    return 0
  },
})

type Action = (service: MemoryService, context: CommandContext) => Promise<void>

const FOUND = 10

const actions: Readonly<Record<string, Action>> = {
  async ls(service, context) {
    const facts = (await service.list()).filter(isChosen(context))
    show(facts, context, 'Nothing is remembered here yet; `covey memory add "…"` adds something.')
    adviseEmbeddings(service, facts.length, context)
  },
  async search(service, context) {
    const query = requireText(context, 'what to search for')
    const found = await service.recall(query, { limit: FOUND, signal: context.signal })
    const facts = found.map(({ fact }) => fact).filter(isChosen(context))
    show(facts, context, 'Nothing like that is remembered; `covey memory` lists everything.')
    if (facts.length === 0) adviseEmbeddings(service, (await service.list()).length, context)
  },
  async add(service, context) {
    const text = requireText(context, 'what to remember')
    const kind = kindOf(context)
    const isGlobal = context.options['global'] === true
    const added = await asUsage(service.add({ text, isGlobal, source: 'person', ...(kind && { kind }) }))
    const { fact, outcome, replaced } = added
    const instead = replaced.length > 0 ? ` It takes the place of ${replaced.join(', ')}.` : ''
    context.io.out(outcome === 'known' ? `Known already, as ${fact.id}.\n` : `Added ${fact.id}.${instead}\n`)
  },
  async rm(service, { args, io }) {
    const [id = ''] = args
    if (!/^[1-9]\d*$/.test(id) || !(await service.remove(Number(id)))) {
      throw new AppError(
        'config-invalid',
        `there is no fact "${id}"; covey memory --all lists them with their ids.`,
      )
    }
    io.out(`Removed ${id}.\n`)
  },
  async export(service, context) {
    const facts = (await service.list()).filter(
      isChosen({ ...context, options: { ...context.options, all: true } }),
    )
    context.io.out(exportFormat(context) === 'md' ? toMarkdown(facts) : facts.map(toJsonLine).join(''))
  },
}

/** Among fewer facts their words find nearly everything. */
const MANY_FACTS = 50

/** Said where it would help: many facts, and nothing that finds them by meaning. */
function adviseEmbeddings(
  { embeddingModel }: MemoryService,
  count: number,
  { io }: Pick<CommandContext, 'io'>,
): void {
  if (embeddingModel !== undefined || count < MANY_FACTS) return
  io.err(
    'These facts are found by their words only. A small embedding model on a running server finds them by what they mean ' +
      'as well: `ollama pull all-minilm`, or `llama-server --embeddings` with a GGUF file; `covey models` lists it then.\n',
  )
}

function requireText({ args }: CommandContext, what: string): string {
  const text = args.join(' ').trim()
  if (text === '') throw new AppError('config-invalid', `pass ${what}, in quotes.`)
  return text
}

function kindOf({ options }: Pick<CommandContext, 'options'>): FactKind | undefined {
  const given = options['kind']
  if (given === undefined) return undefined
  const kind = factKinds.find((one) => one === given)
  if (kind) return kind
  throw new AppError('config-invalid', `--kind "${String(given)}" is not one of ${factKinds.join(', ')}.`)
}

function isChosen(context: Pick<CommandContext, 'options'>): (fact: Fact) => boolean {
  const kind = kindOf(context)
  return (fact) =>
    (kind === undefined || fact.kind === kind) &&
    (fact.supersededBy === undefined || context.options['all'] === true)
}

function show(facts: readonly Fact[], { io }: CommandContext, nothing: string): void {
  io.out(facts.length > 0 ? facts.map(toLine).join('') : `${nothing}\n`)
}

const dateOf = ({ addedAt }: Fact): string => new Date(addedAt).toISOString().slice(0, 10)

function toLine(fact: Fact): string {
  const remarks = [
    ...(fact.isGlobal ? ['everywhere'] : []),
    ...(fact.supersededBy === undefined ? [] : [`replaced by ${fact.supersededBy}`]),
  ]
  const remark = remarks.length > 0 ? `  (${remarks.join(', ')})` : ''
  return `${String(fact.id).padStart(5)}  ${dateOf(fact)}  ${fact.kind.padEnd(10)}  ${cleanControl(fact.text)}${remark}\n`
}

function exportFormat({ options }: CommandContext): 'jsonl' | 'md' {
  const format = options['format'] ?? 'jsonl'
  if (format === 'jsonl' || format === 'md') return format
  throw new AppError('config-invalid', `--format "${String(format)}" is not one of jsonl, md.`)
}

const toJsonLine = (fact: Fact): string => jsonLine(fact)

function toMarkdown(facts: readonly Fact[]): string {
  const living = facts.filter(({ supersededBy }) => supersededBy === undefined)
  const parts = factKinds.flatMap((kind) => {
    const lines = living
      .filter((fact) => fact.kind === kind)
      .map((fact) => `- ${cleanControl(fact.text)} (${dateOf(fact)})`)
    return lines.length > 0 ? [`## ${HEADINGS[kind]}\n\n${lines.join('\n')}\n`] : []
  })
  return ['# Memory\n', ...parts].join('\n')
}

const HEADINGS: Readonly<Record<FactKind, string>> = {
  fact: 'Facts',
  preference: 'Preferences',
  lesson: 'Lessons',
  decision: 'Decisions',
}
