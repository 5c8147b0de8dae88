/**
 * Edits as small models get them wrong, made by a seeded script out of real files: the quoted text has another name, other words, a line
 * too few, two lines in one, an older value; or it is of another file, so that nothing may be changed. And calls with the slips of a
 * model that writes JSON by hand.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type EditCase = {
  readonly kind: string
  readonly path: string
  readonly text: string
  readonly old: string
  readonly new: string
  /** The text that was meant; absent where nothing may be changed. */
  readonly wanted?: string
}

export type Random = () => number

/** The same numbers for the same seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const pick = <T>(items: readonly T[], random: Random): T | undefined =>
  items[Math.floor(random() * items.length)]

type File = { readonly path: string; readonly text: string }

/** Of this repository: its code, and the projects of the hands in `names`. */
export function loadFiles(root: string, names: readonly string[]): File[] {
  const code = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path: `src/${path}`, text: readFileSync(join(root, 'src', path), 'utf8') }))
  const others = names.flatMap((name) => {
    const folder = JSON.parse(readFileSync(join(root, 'nano/hands', name, 'folder.json'), 'utf8')) as Record<
      string,
      string
    >
    return Object.entries(folder).map(([path, text]) => ({ path, text }))
  })
  return [...code, ...others].filter(({ text }) => text.split('\n').length >= 12)
}

/** The window of lines a case is about, and the change that is wanted in one of them. */
type Window = {
  readonly file: File
  readonly first: number
  readonly lines: readonly string[]
  /** Of `lines`. */
  readonly changed: number
  readonly from: string
  readonly to: string
}

type Mangled = Pick<EditCase, 'old' | 'new'>
type Mangle = (window: Window, random: Random) => Mangled | undefined

const KINDS: Readonly<Record<string, { readonly size: number; readonly mangle: Mangle }>> = {
  style: { size: 3, mangle: (window) => both(window, (line) => `  ${line.replaceAll("'", '"')}`) },
  'other name, other line': { size: 3, mangle: (window, random) => renamed(window, random, false) },
  'other name, same line': { size: 2, mangle: (window, random) => renamed(window, random, true) },
  'other words': { size: 3, mangle: paraphrased },
  'line left out': { size: 4, mangle: leftOut },
  'two lines in one': { size: 3, mangle: merged },
  'older value': { size: 1, mangle: (window) => older(window) },
  'older value in context': { size: 3, mangle: (window) => older(window) },
}

export function editCases(files: readonly File[], each: number, random: Random): EditCase[] {
  const cases = Object.entries(KINDS).flatMap(([kind, { size, mangle }]) =>
    collect(each, () => {
      const window = windowOf(pick(files, random), size, random)
      const mangled = window && mangle(window, random)
      return window && mangled && { kind, ...window.file, ...mangled, wanted: wantedOf(window) }
    }),
  )
  const strangers = collect(each, () => {
    const [one, other] = [pick(files, random), pick(files, random)]
    const window = windowOf(one, 2, random)
    if (!window || !other || other.path === one?.path || other.text.includes(window.lines[0] ?? ''))
      return undefined
    return { kind: 'of another file', ...other, ...both(window, (line) => line) }
  })
  const gone = collect(each, () => {
    const window = windowOf(pick(files, random), 1, random)
    const text = window?.file.text.replace(`${window.lines.join('\n')}\n`, '')
    const isGone = window && text !== undefined && !text.includes((window.lines[0] ?? '').trim())
    return window && text !== undefined && isGone
      ? { kind: 'of a line that is gone', path: window.file.path, text, ...both(window, (line) => line) }
      : undefined
  })
  return [...cases, ...strangers, ...gone]
}

function collect<T>(count: number, make: () => T | undefined): T[] {
  const made: T[] = []
  for (let tries = 0; tries < count * 400 && made.length < count; tries++) {
    const next = make()
    if (next !== undefined) made.push(next)
  }
  return made
}

function windowOf(file: File | undefined, size: number, random: Random): Window | undefined {
  if (!file) return undefined
  const all = file.text.split('\n')
  const first = Math.floor(random() * (all.length - size))
  const lines = all.slice(first, first + size)
  const changed = Math.floor(random() * size)
  const line = lines[changed] ?? ''
  const from = pick([...new Set(line.match(/\b(?:\d+|[A-Za-z]\w{3,})\b/g) ?? [])], random)
  const isUsable =
    lines.every((one) => one.trim().length >= 6) && file.text.split(lines.join('\n')).length === 2
  if (!isUsable || from === undefined || line.split(from).length !== 2) return undefined
  return {
    file,
    first,
    lines,
    changed,
    from,
    to: /^\d+$/.test(from) ? String(Number(from) + 7) : `${from}Next`,
  }
}

const withChange = ({ lines, changed, from, to }: Window): string[] =>
  lines.map((line, index) => (index === changed ? line.replace(from, to) : line))

function wantedOf(window: Window): string {
  const all = window.file.text.split('\n')
  all.splice(window.first, window.lines.length, ...withChange(window))
  return all.join('\n')
}

const both = (
  window: Window,
  change: (line: string, index: number) => string | readonly string[],
): Mangled => ({
  old: window.lines.flatMap(change).join('\n'),
  new: withChange(window).flatMap(change).join('\n'),
})

function renamed(window: Window, random: Random, isSame: boolean): Mangled | undefined {
  const { lines, changed, from, to } = window
  const source = isSame ? (lines[changed] ?? '') : lines.filter((_, index) => index !== changed).join('\n')
  const name = pick(
    (source.match(/\b[A-Za-z]\w{4,}\b/g) ?? []).filter((word) => word !== from && word !== to),
    random,
  )
  if (name === undefined || (!isSame && (lines[changed] ?? '').includes(name))) return undefined
  return both(window, (line) => line.replaceAll(new RegExp(String.raw`\b${name}\b`, 'g'), pickName(name)))
}

const pickName = (name: string): string => `my${name.slice(0, 1).toUpperCase()}${name.slice(1, 4)}Value`

function paraphrased(window: Window, random: Random): Mangled | undefined {
  const { lines, changed } = window
  const at = pick(
    lines.flatMap((line, index) => (index !== changed && line.split(/\s+/).length >= 5 ? [index] : [])),
    random,
  )
  if (at === undefined) return undefined
  const words = (lines[at] ?? '').split(' ')
  const other = words
    .map((word) => (/^[a-z]{3,}$/.test(word) && random() < 0.6 ? `${word.slice(0, 2)}ther` : word))
    .join(' ')
  return other === lines[at] ? undefined : both(window, (line, index) => (index === at ? other : line))
}

function leftOut(window: Window): Mangled | undefined {
  const at = window.changed === 1 ? 2 : 1
  return both(window, (line, index) => (index === at ? [] : line))
}

function merged({ lines, ...window }: Window): Mangled | undefined {
  const [first = '', second = '', ...rest] = lines
  const join = (all: readonly string[]): string =>
    [`${all[0] ?? ''} ${(all[1] ?? '').trim()}`, ...all.slice(2)].join('\n')
  return { old: join([first, second, ...rest]), new: join(withChange({ ...window, lines })) }
}

function older({ lines, changed, from, to }: Window): Mangled | undefined {
  const before = /^\d+$/.test(from) ? String(Number(from) + 3) : `${from}Old`
  const put = (value: string): string =>
    lines.map((line, index) => (index === changed ? line.replace(from, value) : line)).join('\n')
  return { old: put(before), new: put(to) }
}

export type CallCase = {
  readonly slip: string
  readonly name: string
  readonly input: string
  readonly wanted: Readonly<Record<string, unknown>>
}

const SLIPS: Readonly<Record<string, (json: string, random: Random) => string>> = {
  'no last quote': (json) => json.replace(/"\}$/, '}'),
  'cut off': (json, random) => json.slice(0, Math.floor(json.length * (0.4 + random() * 0.5))),
  'bare quotes inside': (json) => json.replaceAll('\\"', '"'),
  'no colon': (json) => json.replace('": ', '" ').replace('":', '" '),
  'key without quotes and colon': (json) => json.replace(/^\{"(\w+)":/, '{$1 '),
  'equals signs': (json) => json.replace(/^\{|\}$/g, '').replaceAll(/"(\w+)":/g, '$1='),
  'a sentence around it': (json) =>
    `I will call it with ${json.replace(/^\{"(\w+)":\s*/, '$1 ').replace(/\}$/, '')} now.`,
}

/** Out of the calls of the recorded replies in `test/dialect/corpus`. */
export function callCases(root: string, each: number, random: Random): CallCase[] {
  const folder = join(root, 'test/dialect/corpus')
  const calls = readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .flatMap(
        (line) =>
          (JSON.parse(line) as { readonly calls?: readonly (readonly [string, Record<string, unknown>])[] })
            .calls ?? [],
      ),
  )
  const usable = calls.filter(
    ([, input]) =>
      Object.values(input).length > 0 && Object.values(input).every((value) => typeof value === 'string'),
  )
  const unique = [...new Map(usable.map((call) => [JSON.stringify(call), call])).values()]
  return Object.entries(SLIPS).flatMap(([slip, spoil]) =>
    collect(each, () => {
      const [name, wanted] = pick(unique, random) ?? []
      const input = wanted && spoil(JSON.stringify(wanted), random)
      return name === undefined ||
        wanted === undefined ||
        input === undefined ||
        input === JSON.stringify(wanted)
        ? undefined
        : { slip, name, input, wanted }
    }),
  )
}
