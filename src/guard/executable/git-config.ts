/**
 * Git's configuration as git reads it: sections, quotes, escapes, continuation lines. A setting counts as executable
 * unless it is known to be harmless: git has many keys whose value it runs, and every version adds some.
 */

export type GitSetting = {
  /** Section and key in lower case, the subsection as it is written. */
  readonly section: string
  readonly subsection?: string
  readonly key: string
  /** Absent for a key without `=`, which means true. */
  readonly value?: string
  /** The lines it takes, from zero; the last is included. */
  readonly from: number
  readonly to: number
}

export type GitConfigText = {
  readonly settings: readonly GitSetting[]
  /** Lines that git would refuse. */
  readonly bad: readonly number[]
}

export function parseGitConfig(text: string): GitConfigText {
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  const settings: GitSetting[] = []
  const bad: number[] = []
  let section: Header | undefined
  for (let at = 0; at < lines.length; at++) {
    let rest = trimStart(lines[at] ?? '')
    for (let header = readHeader(rest); header; header = readHeader(rest)) {
      section = header.header
      rest = trimStart(header.rest)
    }
    if (rest === '' || rest.startsWith('#') || rest.startsWith(';')) continue
    const name = /^[A-Za-z][A-Za-z0-9-]*/.exec(rest)?.[0]
    if (!section || name === undefined) {
      bad.push(at)
      continue
    }
    const from = at
    const read = readValue(lines, at, rest.slice(name.length))
    at = read.last
    if (read.isBad) bad.push(from)
    settings.push({ ...section, key: name.toLowerCase(), ...valueOf(read), from, to: at })
  }
  return { settings, bad }
}

const valueOf = ({ value }: Value): { readonly value?: string } => (value === undefined ? {} : { value })

const trimStart = (text: string): string => text.replace(/^[ \t\r\f\v]+/, '')

type Header = { readonly section: string; readonly subsection?: string }

function readHeader(line: string): { readonly header: Header; readonly rest: string } | undefined {
  const match = /^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:\\.|[^"\\])*)")?\s*\]/.exec(line)
  if (!match) return undefined
  const [whole, name = '', quoted] = match
  const rest = line.slice(whole.length)
  if (quoted !== undefined) {
    return { header: { section: name.toLowerCase(), subsection: quoted.replaceAll(/\\(.)/g, '$1') }, rest }
  }
  // The old form: `[section.subsection]`.
  const dot = name.indexOf('.')
  if (dot < 0) return { header: { section: name.toLowerCase() }, rest }
  const subsection = name.slice(dot + 1).toLowerCase()
  return { header: { section: name.slice(0, dot).toLowerCase(), subsection }, rest }
}

type Value = { readonly value: string | undefined; readonly last: number; readonly isBad: boolean }

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\' }

/** From after the key to the end of the value, which may be some lines further down. */
function readValue(lines: readonly string[], first: number, after: string): Value {
  const start = trimStart(after)
  if (!start.startsWith('=')) return { value: undefined, last: first, isBad: !/^(?:[#;]|$)/.test(start) }
  const reader = { text: '', spaces: '', isQuoted: false, isBad: false }
  let line = trimStart(start.slice(1))
  for (let last = first; ; line = lines[++last] ?? '') {
    if (!readLine(line.replace(/\r$/, ''), reader) || last + 1 >= lines.length) {
      return { value: reader.text, last, isBad: reader.isBad || reader.isQuoted }
    }
  }
}

type Reader = { text: string; spaces: string; isQuoted: boolean; isBad: boolean }

/** True when the value goes on in the next line. */
function readLine(line: string, reader: Reader): boolean {
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? ''
    if (!reader.isQuoted && (letter === '#' || letter === ';')) return false
    if (!reader.isQuoted && /\s/.test(letter)) {
      if (reader.text !== '') reader.spaces += letter
      continue
    }
    reader.text += reader.spaces
    reader.spaces = ''
    if (letter === '"') reader.isQuoted = !reader.isQuoted
    else if (letter !== '\\') reader.text += letter
    else if (at + 1 >= line.length) return true
    else {
      const escape = ESCAPES[line[++at] ?? '']
      if (escape === undefined) reader.isBad = true
      reader.text += escape ?? ''
    }
  }
  return false
}

/** As git names it on the command line, with its value: equal for equal settings. */
export const settingText = ({ section, subsection, key, value = 'true' }: GitSetting): string =>
  `${section}.${subsection === undefined ? '' : `${subsection}.`}${key}=${value}`

/** The text without these settings; what else stands on their lines goes with them, section names excepted. */
export function withoutSettings(text: string, gone: readonly Pick<GitSetting, 'from' | 'to'>[]): string {
  const lines = text.split('\n')
  const removed = new Set(
    gone.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, step) => from + step)),
  )
  const starts = new Set(gone.map(({ from }) => from))
  return lines
    .flatMap((line, at) => {
      if (!removed.has(at)) return [line]
      const header = starts.has(at)
        ? /^[\s\uFEFF]*(?:\[[^\]"]*(?:"(?:\\.|[^"\\])*")?\s*\]\s*)+/.exec(line)?.[0]
        : undefined
      return header === undefined ? [] : [header.trimEnd()]
    })
    .join('\n')
}

/** Lines that make git read this setting. */
export function settingLines({ section, subsection, key, value = 'true' }: GitSetting): string {
  const quote = (text: string): string =>
    `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`
  return `[${section}${subsection === undefined ? '' : ` ${quote(subsection)}`}]\n\t${key} = ${quote(value)}\n`
}
