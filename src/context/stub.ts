/**
 * The words that stand where a result was: what it was about, what in it is worth knowing without reading it again, and
 * how to see it. Written by a compaction and read back by the next one. Pure.
 */
import type { ToolMessage } from '../protocol/message.ts'
import { failingLines } from '../lib/output/signs.ts'
import { clip } from '../lib/text.ts'
import { type CallLabel, gistOf, oneLine } from './call-label.ts'
import type { CountTokens } from './count.ts'
import { handleIn } from './cut.ts'
import { correctedPath, type LineRange, namesIn, rangeText, shownRange } from './result-text.ts'

const MARK = '[removed to save room: '

export const isStub = (text: string): boolean => text.startsWith(MARK) || text.includes(`\n${MARK}`)

export type StubInput = {
  readonly tokens: number
  /** A newer result of the same kind stands below: this one needs no details. */
  readonly isReplaced: boolean
  readonly count: CountTokens
}

export function stubFor(message: ToolMessage, label: CallLabel, input: StubInput): string {
  const remark = correctedPath(message.text) === undefined ? '' : `${message.text.split('\n', 1)[0]}\n`
  return remark + bareStub(message, label, input)
}

function bareStub(message: ToolMessage, label: CallLabel, input: StubInput): string {
  const { text, ok = true } = message
  const handle = handleIn(text)
  const how = handle ? `read_result {"id":"${handle}"} shows it` : againText(label)
  if (input.isReplaced) return `${MARK}${aboutOf(label, text)}; shown again below]`
  if (label.name === 'run_command') return commandStub(message, label, { ...input, how })
  const details = detailsOf(label, text, ok)
  return `${MARK}${[aboutOf(label, text), details, how].filter(Boolean).join('; ')}]`
}

const againText = ({ name }: CallLabel): string => {
  if (name === 'read_file') return 'read again if needed'
  return name === 'search_text' ? 'search again if needed' : ''
}

function aboutOf({ name, target }: CallLabel, text: string): string {
  const range = name === 'read_file' ? shownRange(text) : undefined
  if (range) return `${target} lines ${rangeText([range])}`
  if (name === 'run_command') return `output of \`${target}\``
  return `${name} ${target}`.trim()
}

function detailsOf({ name }: CallLabel, text: string, ok: boolean): string {
  if (!ok) return `failed: ${gistOf(name, text, 120)}`
  if (name === 'read_file') return namesText(text)
  if (name === 'search_text') return matchesText(text)
  if (name === 'edit_file' || name === 'apply_patch') return /^\+.*\S.*$/m.exec(text)?.[0].slice(0, 120) ?? ''
  return `begins “${gistOf(name, text, 100)}”`
}

/** More would cost what the removal frees. */
const MOST_NAMES = 12

function namesText(text: string): string {
  const names = namesIn(text)
  const more = names.length > MOST_NAMES ? `, ${names.length - MOST_NAMES} more` : ''
  return (
    names
      .slice(0, MOST_NAMES)
      .map(({ name, line }) => `${name} ${line}`)
      .join(', ') + more
  )
}

const MATCH = /^(.+?):(\d+): /

/** Where it was found, without the lines themselves. */
function matchesText(text: string): string {
  const lines = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [, path, number] = MATCH.exec(line) ?? []
    if (path !== undefined && number !== undefined) lines.set(path, [...(lines.get(path) ?? []), number])
  }
  const places = [...lines].map(
    ([path, numbers]) => `${path} ${numbers.slice(0, 6).join(',')}${numbers.length > 6 ? ',…' : ''}`,
  )
  return clip(places.join(', '), 240)
}

const KEPT_LINES = 8
const KEPT_WIDTH = 160

/** A command keeps what failed in it, or how it ended. */
function commandStub(
  { text, ok }: ToolMessage,
  label: CallLabel,
  { tokens, how, count }: StubInput & { readonly how: string },
): string {
  const exit = /\[(?:exit \d+|ended by a signal)\]/.exec(text)?.[0]
  const failing = failingLines(withoutAsides(text), KEPT_LINES)
  const kept = failing.length > 0 || !ok ? failing : [gistOf(label.name, text, 120)].filter(Boolean)
  const head = `${MARK}${aboutOf(label, text)}, ${tokens.toLocaleString('en-US')} tokens${how ? `; ${how}` : ''}; kept:]`
  const lines = [...kept.map((line) => clip(line, KEPT_WIDTH)), ...(exit ? [exit] : [])]
  // Output that is nothing but failures keeps the first of them.
  while (lines.length > 2 && count([head, ...lines].join('\n')) > tokens * 0.6) lines.splice(-2, 1)
  return [head, ...lines].join('\n')
}

const withoutAsides = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\[(?:stored as|note\]|exit \d)/.test(line))
    .join('\n')

export type Stub = {
  readonly range?: LineRange
  readonly names: string
  readonly gist: string
  readonly handle?: string
}

/** What a stub still knows; nothing for a result that is whole. */
export function readStub(text: string): Stub | undefined {
  const at = text.startsWith(MARK) ? 0 : text.indexOf(`\n${MARK}`) + 1
  if (at === 0 && !text.startsWith(MARK)) return undefined
  const [head = '', ...kept] = text.slice(at).split('\n')
  const handle = /read_result \{"id":"(r[\w-]+)"\}/.exec(head)?.[1]
  const [, from, to] = / lines (\d+)(?:-(\d+))?; /.exec(head) ?? []
  const parts = head.slice(MARK.length, -1).split('; ')
  const details = parts
    .slice(1)
    .filter((part) => !/ again |^read_result |^kept:/.test(part))
    .join('; ')
  return {
    names: from === undefined ? '' : details,
    gist:
      kept.length > 0
        ? oneLine(kept.join(' '))
        : from === undefined
          ? details.replace(/^begins “|”$/g, '')
          : '',
    ...(from !== undefined && { range: { from: Number(from), to: Number(to ?? from) } }),
    ...(handle && { handle }),
  }
}
