/**
 * What nano may write, as GBNF: a call of an offered tool whose arguments exist, or a form that fits the last result. Text
 * is never made up: it is a span of the request, a path, script, pattern or id that is there, or a word of the last
 * result. Allows what nano/decode.py allows.
 */
import { Rules } from '../../dialect/grammar/rules.ts'
import { CALL, CALL_END, formToken, reasons, reasonToken, REFUSE } from './format.ts'
import { isLineBanned, isPathBanned, isToolBanned, isWordBanned } from './ban.ts'
import {
  FROM_RESULT,
  foldersIn,
  LINE_VALUES,
  listed,
  MAY_BE_EMPTY,
  MOST_WORDS,
  type Situation,
} from './choices.ts'
import { formsAfter } from '../replies/forms.ts'
import { type Boundaries, boundaries, numbersOf, placesOf } from '../request/spans.ts'
import {
  endingIn,
  escaped,
  hasSpan,
  isNumber,
  isSame,
  LONGEST_NUMBER,
  resultWords,
  type Span,
  spansOf,
  spelledOut,
} from './span-rules.ts'
import { CHANGE_LINE, type NanoParameter, type NanoTool, type ParameterKind } from './tools.ts'

export function nanoGrammar(situation: Situation): string {
  const writer = new GrammarWriter(situation)
  const { result, tools: offered, mustCall, sources, bans = [] } = situation
  const isLineLeft = sources.lines.some((_, index) => !isLineBanned(bans, index + 1))
  const tools = offered.filter(
    ({ name }) => (name !== CHANGE_LINE || isLineLeft) && !isToolBanned(bans, name),
  )
  const call = tools.length > 0 ? [writer.call(tools)] : []
  const answers = result
    ? formsAfter(result.tool, result.ok).map(formToken)
    : reasons.map((reason) => REFUSE + reasonToken(reason))
  const answer = mustCall && call.length > 0 ? [] : answers.map(writer.literal)
  return writer.toGrammar([...call, ...answer].join(' | '))
}

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

  /** The number of a line, a stretch of that line, and the new text; a number becomes another number. */
  #changeLine({ name }: NanoTool, rule: string): string {
    const { sources, bans = [], olds = [] } = this.#situation
    const said = olds.find((old) => sources.lines.some(({ text }) => hasSpan(text, old)))
    const open = `${JSON.stringify(name).slice(1)}, "arguments": {"line": `
    const any = this.#once('replacement', () => this.#replacement())
    const number = this.#once('number', () => this.#numberSpans()) || any
    const lines = sources.lines.flatMap(({ text }, index) => {
      if (isLineBanned(bans, index + 1) || (said !== undefined && !hasSpan(text, said))) return []
      const spans = spansOf(text).flatMap((span) =>
        said === undefined ? [span] : endingIn(text, span, isSame(said)),
      )
      const numeric = spans.flatMap((span) => endingIn(text, span, isNumber))
      const other = spans.flatMap((span) => endingIn(text, span, (part) => !isNumber(part)))
      const change = (parts: readonly Span[], replacement: string): string[] =>
        parts.length === 0
          ? []
          : [
              `(${parts.map((span) => spelledOut(text, span, this.literal)).join(' | ')}) ${this.literal('", "new": "')} ${replacement}`,
            ]
      const changes = [...change(numeric, number), ...change(other, any)]
      return [`${this.literal(`${index + 1}, "old": "`)} (${changes.join(' | ')})`]
    })
    return this.#rules.define(rule, `${this.literal(open)} (${lines.join(' | ')}) "\\""`)
  }

  #replacement(): string {
    const spans = this.#allowedSpans()
    return [...['', ...LINE_VALUES].map(escaped).map(this.literal), ...(spans === '' ? [] : [spans])].join(
      ' | ',
    )
  }

  /** Those of `#anySpan` that do not begin like a text that is banned. */
  #allowedSpans(): string {
    const { request, bans = [] } = this.#situation
    const banned = new Set(bans.flatMap((ban) => (ban.kind === 'text' ? placesOf(ban.text, request) : [])))
    if (banned.size === 0) return this.#spans('text')
    return this.#spans('text') === '' ? '' : this.#startRules((start) => !banned.has(start))
  }

  /** Nothing where the request has no number. */
  #numberSpans(): string {
    const { request } = this.#situation
    const { starts, ends } = this.#boundaries
    return starts
      .flatMap((start) =>
        endingIn(
          request,
          { start, ends: ends.filter((end) => end > start && end < start + LONGEST_NUMBER) },
          isNumber,
        ),
      )
      .map((span) => spelledOut(request, span, this.literal))
      .join(' | ')
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
      const spans = this.#pathSpans(kind) ?? this.#spans(kind)
      const folders = kind === 'new_path' ? foldersIn(this.#situation).map(escaped).map(this.literal) : []
      // Something new in a folder that is there: `census/` and `thirsk`.
      const inside = folders.length > 0 && spans !== '' ? [`(${folders.join(' | ')}) ${spans}`] : []
      return [...named, ...(spans === '' ? [] : [spans]), ...inside].join(' | ') || '""'
    })
  }

  /** Where words of the request were taken for a path: none for one that is there, single ones for a new one. */
  #pathSpans(kind: ParameterKind): string | undefined {
    if (!isPathKind(kind) || !isWordBanned(this.#situation.bans)) return undefined
    return kind === 'path' ? '' : this.#once('span-new', () => this.#shortSpan(1, 'new'))
  }

  /** What exists besides the request's own words. */
  #existing(kind: ParameterKind): string[] {
    const { result } = this.#situation
    const found = listed[kind]?.(this.#situation) ?? []
    const fromResult = result && FROM_RESULT.has(kind) ? resultWords(result.text) : []
    const all = [...new Set([...found, ...fromResult])]
    return isPathKind(kind)
      ? all.filter((path) => !isPathBanned(this.#situation.bans, path, sideOf(kind)))
      : all
  }

  #spans(kind: ParameterKind): string {
    const most = MOST_WORDS[kind]
    if (this.#boundaries.starts.length === 0) return ''
    return most === undefined
      ? this.#once('span', () => this.#anySpan())
      : this.#once(isPathKind(kind) ? `span-${kind}` : `span-${most}`, () =>
          this.#shortSpan(most, sideOf(kind)),
        )
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
    return this.#startRules(() => true)
  }

  #startRules(isAllowed: (start: number) => boolean): string {
    const { starts, ends } = this.#boundaries
    const last = ends.at(-1) ?? 0
    return starts
      .filter((start) => start < last && isAllowed(start))
      .map((start) => `at${start}`)
      .join(' | ')
  }

  /** Few words and all on one line: each span is spelled out from its start. */
  #shortSpan(mostWords: number, as?: 'old' | 'new'): string {
    const { request } = this.#situation
    const { starts, ends, words } = this.#boundaries
    const spans = starts.map((start) => {
      const next = words[words.findLastIndex((word) => word <= start) + mostWords] ?? Infinity
      const lineEnd = request.indexOf('\n', start)
      const limit = lineEnd < 0 ? next : Math.min(next, lineEnd + 1)
      return spelledOut(
        request,
        {
          start,
          ends: ends.filter(
            (end) =>
              end > start &&
              end < limit &&
              !isPathBanned(this.#situation.bans, request.slice(start, end), as),
          ),
        },
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

const isPathKind = (kind: ParameterKind): boolean => kind === 'path' || kind === 'new_path'

const sideOf = (kind: ParameterKind): 'old' | 'new' => (kind === 'path' ? 'old' : 'new')
