/**
 * What nano may write, as GBNF: a call of an offered tool whose arguments exist, or a form that fits the last result. Text
 * is never made up: it is a span of the request, a path, script, pattern or id that is there, or a word of the last
 * result. Allows what nano/decode.py allows.
 */
import { Rules } from '../../dialect/grammar/rules.ts'
import {
  CALL,
  CALL_END,
  type Form,
  formToken,
  reasons,
  reasonToken,
  REFUSE,
  type Sources,
} from './format.ts'
import { globCandidates } from './scripts.ts'
import { type Boundaries, boundaries, lengthOf, lineBoundaries, numbersOf, wordsOf } from './spans.ts'
import { CHANGE_LINE, type NanoParameter, type NanoTool, type ParameterKind } from './tools.ts'

/** Everything the choices depend on. */
export type Situation = {
  readonly request: string
  readonly sources: Sources
  /** Offered; none where a call is not wanted. */
  readonly tools: readonly NanoTool[]
  /** The last call's tool, whether it worked, and its text as nano reads it. */
  readonly result?: { readonly tool: string; readonly ok: boolean; readonly text: string }
  /** Folders that earlier calls made or wrote to, with a slash at the end. */
  readonly made?: readonly string[]
  /** Paths that earlier calls and their results speak of. */
  readonly recent?: readonly string[]
  /** Nothing but a call will do. */
  readonly mustCall?: boolean
}

export function nanoGrammar(situation: Situation): string {
  const writer = new GrammarWriter(situation)
  const { result, tools: offered, mustCall, sources } = situation
  const tools = offered.filter(({ name }) => name !== CHANGE_LINE || sources.lines.length > 0)
  const call = tools.length > 0 ? [writer.call(tools)] : []
  const answers = result
    ? formsAfter(result.tool, result.ok).map(formToken)
    : reasons.map((reason) => REFUSE + reasonToken(reason))
  const answer = mustCall && call.length > 0 ? [] : answers.map(writer.literal)
  return writer.toGrammar([...call, ...answer].join(' | '))
}

const LISTING = new Set(['list_files', 'find_files', 'search_text', 'search_code', 'list_results'])
const WRITING = new Set([
  'write_file',
  'edit_file',
  CHANGE_LINE,
  'make_folder',
  'copy_file',
  'move_file',
  'delete_file',
  'apply_patch',
  'propose_patch',
  'remember',
  'job_stop',
  'promote_skill',
])

/** The forms code can render for a result of this tool. */
export function formsAfter(tool: string, ok: boolean): readonly Form[] {
  if (tool === 'run_command') return ok ? ['text', 'exit', 'done'] : ['exit', 'error']
  if (!ok) return ['error']
  if (LISTING.has(tool)) return ['list', 'text', 'count', 'exists']
  return WRITING.has(tool) ? ['done'] : ['list', 'text', 'count', 'exists', 'done']
}

/** How many words a span of this kind may hold; any number where nothing is said. */
const MOST_WORDS: Partial<Record<ParameterKind, number>> = {
  path: 6,
  new_path: 6,
  glob: 1,
  url: 1,
  id: 1,
  word: 1,
}

/** `content` of an empty file, `new` where text is to go. */
const MAY_BE_EMPTY = new Set(['content', 'new'])

const namedPaths = ({ sources, recent = [] }: Situation): string[] => [
  '.',
  ...sources.paths,
  ...sources.lines.map(({ path }) => path),
  ...recent,
]

/** Where something new may go: the folders listed, and those of earlier calls. */
const foldersIn = ({ sources, made = [] }: Situation): string[] => [
  ...new Set([...sources.paths.filter((path) => path.endsWith('/')), ...made]),
]

/** What the part of a listed line may become besides words of the request. */
const LINE_VALUES = 'true|false|yes|no|on|off|[x]|[ ]|True|False|YES|NO|done'.split('|')

const listed: Partial<Record<ParameterKind, (situation: Situation) => readonly string[]>> = {
  path: namedPaths,
  new_path: namedPaths,
  command: ({ sources }) => sources.scripts.map(({ command }) => command),
  glob: ({ request, sources }) => globCandidates(request, sources.paths),
  id: ({ sources }) => sources.ids.map(({ id }) => id),
}

/** What a result may tell the next call. */
const FROM_RESULT = new Set<ParameterKind>(['path', 'new_path', 'id', 'url'])

class GrammarWriter {
  readonly #situation: Situation
  readonly #rules = new Rules()
  readonly #defined = new Map<string, string>()
  readonly #boundaries: Boundaries

  constructor(situation: Situation) {
    this.#situation = situation
    this.#boundaries = boundaries(situation.request)
  }

  readonly literal = (text: string): string => this.#rules.literal(text) || '""'

  toGrammar(root: string): string {
    return this.#rules.toGrammar(root)
  }

  call(offered: readonly NanoTool[]): string {
    const tools = offered.map((tool, index) =>
      tool.name === CHANGE_LINE ? this.#changeLine(tool, `tool${index}`) : this.#tool(tool, `tool${index}`),
    )
    return `${this.literal(`${CALL}\n{"name": "`)} (${tools.join(' | ')}) ${this.literal(`}}\n${CALL_END}`)}`
  }

  #tool({ name, parameters }: NanoTool, rule: string): string {
    const open = `${JSON.stringify(name).slice(1)}, "arguments": {`
    return this.#rules.define(rule, `${this.literal(open)} ${this.#parameters(parameters, rule, true)}`)
  }

  /** The number of a line, a stretch of that line, and the new text. */
  #changeLine({ name }: NanoTool, rule: string): string {
    const open = `${JSON.stringify(name).slice(1)}, "arguments": {"line": `
    const lines = this.#situation.sources.lines.map(({ text }, index) => {
      const part = spansOf(text).map((span) => spelledOut(text, span, this.literal))
      return `${this.literal(`${index + 1}, "old": "`)} (${part.join(' | ')})`
    })
    const values = ['', ...LINE_VALUES].map(escaped).map(this.literal)
    const spans = this.#spans('text')
    const replacement = [...values, ...(spans === '' ? [] : [spans])].join(' | ')
    const body = `(${lines.join(' | ')}) ${this.literal('", "new": "')} (${replacement}) "\\""`
    return this.#rules.define(rule, `${this.literal(open)} ${body}`)
  }

  /** In their order, separated by commas, those that are not required left out or not. */
  #parameters(parameters: readonly NanoParameter[], rule: string, isFirst: boolean): string {
    const ways: string[] = []
    for (const [at, parameter] of parameters.entries()) {
      const rest = `${rule}-${parameters.length - at - 1}`
      if (!this.#defined.has(rest)) {
        this.#defined.set(rest, rest)
        this.#rules.define(rest, this.#parameters(parameters.slice(at + 1), rule, false))
      }
      const key = this.literal(`${isFirst ? '' : ', '}${JSON.stringify(parameter.name)}: `)
      ways.push(`${key} ${this.#value(parameter)} ${rest}`)
      if (parameter.required) return `(${ways.join(' | ')})`
    }
    return ways.length === 0 ? '""' : `(${ways.join(' | ')})?`
  }

  #value(parameter: NanoParameter): string {
    if (parameter.kind === 'flag') return '"true"'
    if (parameter.kind === 'number') {
      const numbers = numbersOf(this.#situation.request)
      return `(${(numbers.length > 0 ? numbers : ['1']).map(this.literal).join(' | ')})`
    }
    return `"\\"" ${this.#strings(parameter)} "\\""`
  }

  #strings({ name, kind, choices }: NanoParameter): string {
    if (choices.length > 0) return `(${choices.map(escaped).map(this.literal).join(' | ')})`
    const isEmptyToo = MAY_BE_EMPTY.has(name)
    return this.#once(`${kind}${isEmptyToo ? '-or-empty' : ''}`, () => {
      const named = [...(isEmptyToo ? [''] : []), ...this.#existing(kind)].map(escaped).map(this.literal)
      const spans = this.#spans(kind)
      const folders = kind === 'new_path' ? foldersIn(this.#situation).map(escaped).map(this.literal) : []
      // Something new in a folder that is there: `census/` and `thirsk`.
      const inside = folders.length > 0 && spans !== '' ? [`(${folders.join(' | ')}) ${spans}`] : []
      return [...named, ...(spans === '' ? [] : [spans]), ...inside].join(' | ') || '""'
    })
  }

  /** What exists besides the request's own words. */
  #existing(kind: ParameterKind): string[] {
    const { result } = this.#situation
    const found = listed[kind]?.(this.#situation) ?? []
    const fromResult = result && FROM_RESULT.has(kind) ? resultWords(result.text) : []
    return [...new Set([...found, ...fromResult])]
  }

  #spans(kind: ParameterKind): string {
    const most = MOST_WORDS[kind]
    if (this.#boundaries.starts.length === 0) return ''
    return most === undefined
      ? this.#once('span', () => this.#anySpan())
      : this.#once(`span-${most}`, () => this.#shortSpan(most))
  }

  /** One rule for each stretch between two boundaries, which every span that runs through it shares. */
  #anySpan(): string {
    const { request } = this.#situation
    const { starts, ends } = this.#boundaries
    const isEnd = new Set(ends)
    const last = ends.at(-1) ?? 0
    const places = [...new Set([...starts, ...ends])].toSorted((a, b) => a - b)
    for (const [index, from] of places.entries()) {
      const to = places[index + 1]
      if (to === undefined) break
      const on = to < last ? ` at${to}${isEnd.has(to) ? '?' : ''}` : ''
      this.#rules.define(`at${from}`, `${this.literal(escaped(request.slice(from, to)))}${on}`)
    }
    return starts
      .filter((start) => start < last)
      .map((start) => `at${start}`)
      .join(' | ')
  }

  /** Few words and all on one line: each span is spelled out from its start. */
  #shortSpan(mostWords: number): string {
    const { request } = this.#situation
    const { starts, ends, words } = this.#boundaries
    const spans = starts.map((start) => {
      const next = words[words.findLastIndex((word) => word <= start) + mostWords] ?? Infinity
      const lineEnd = request.indexOf('\n', start)
      const limit = lineEnd < 0 ? next : Math.min(next, lineEnd + 1)
      return spelledOut(
        request,
        { start, ends: ends.filter((end) => end > start && end < limit) },
        this.literal,
      )
    })
    return spans.filter((span) => span !== '').join(' | ')
  }

  #once(name: string, body: () => string): string {
    const rule = `s-${name.replaceAll('_', '-')}`
    const known = this.#defined.get(rule)
    if (known !== undefined) return known
    const text = body()
    this.#defined.set(rule, text === '' ? '' : this.#rules.define(rule, text))
    return text === '' ? '' : rule
  }
}

type Span = { readonly start: number; readonly ends: readonly number[] }

function spansOf(text: string): Span[] {
  const { starts, ends } = lineBoundaries(text)
  return starts
    .map((start) => ({ start, ends: ends.filter((end) => end > start) }))
    .filter((span) => span.ends.length > 0)
}

/** From the start to any of the ends. */
const spelledOut = (text: string, { start, ends }: Span, literal: (text: string) => string): string =>
  ends.reduceRight((rest, end, index) => {
    const piece = literal(escaped(text.slice(ends[index - 1] ?? start, end)))
    return rest === '' ? piece : `${piece} (${rest})?`
  }, '')

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

const MOST_RESULT_WORDS = 64
const LONGEST_LINE = 80
/** Where Python ends a line. */
const LINES = /\r\n|[\n\v\f\r\u001C-\u001E\u0085\u2028\u2029]/

function resultWords(text: string): string[] {
  const lines = text.split(LINES).map((line) => line.trim())
  const short = lines.filter((line) => line !== '' && lengthOf(line) <= LONGEST_LINE)
  return [...wordsOf(text).slice(0, MOST_RESULT_WORDS), ...short.slice(0, MOST_RESULT_WORDS)]
}
