/**
 * What a client's tools said, as Covey's own tools say it: nano was trained on those, and what comes next may speak of the paths and lines
 * in a result. Every program numbers lines, marks folders and reports failures in its own way. Pure.
 */
import { inOwnForm, type NanoCall, type NanoStep } from '../steps/run.ts'

/** `root` is the folder the client works in, where the conversation tells. */
export function inOwnResult(step: NanoStep, root?: string): NanoStep {
  const { call } = step
  const text = withoutRoot(step.text, root)
  const ok = step.ok && !isFailure(text, call)
  const write = ok ? WRITERS[call.name] : undefined
  const said = write ? write(text, call.input) : text
  const code = exitCodeOf(text)
  const own =
    call.name === 'run_command' && !ok && code !== undefined ? `${withoutExit(text)}\n[exit ${code}]` : said
  const done =
    ok && text.trim().split('\n').length <= MOST_ERROR_LINES ? DONE[call.name]?.(call.input) : undefined
  return inOwnForm({ ...step, ok, text: own, shown: done ?? own })
}

/** What was done is known from the call; a client that tells more than that it was done has something to say. */
const DONE: Readonly<Record<string, (input: NanoCall['input']) => string>> = {
  make_folder: ({ path }) => `Made the folder ${String(path)}/.`,
  copy_file: ({ from, to }) => `Copied ${String(from)} to ${String(to)}.`,
  move_file: ({ from, to }) => `Moved ${String(from)} to ${String(to)}.`,
  delete_file: ({ path }) => `Deleted ${String(path)}.`,
  edit_file: ({ path }) => `Edited ${String(path)}.`,
  write_file: ({ path, append }) => `${append === true ? 'Appended to' : 'Created'} ${String(path)}.`,
}

const withoutRoot = (text: string, root?: string): string =>
  root === undefined || root === '/' ? text : text.replaceAll(`${root.replace(/\/+$/, '')}/`, '')

const EXIT =
  /^[\s<[(]*(?:(?:process |command )?(?:exited|failed|finished) with (?:exit )?(?:code|status)|exit(?:ed)?(?: code| status)?|return code)\W{0,3}(\d{1,3})\W*$/im

const exitCodeOf = (text: string): number | undefined => {
  const code = EXIT.exec(text)?.[1]
  return code === undefined ? undefined : Number(code)
}

const withoutExit = (text: string): string => text.replace(EXIT, '').trim()

const FAILED =
  /^\s*(?:<(?:tool_use_)?error>|\[?error\b|failed\b|failure\b|fatal:|traceback\b|enoent\b|eacces\b|(?:file|path|directory|folder)\b.{0,200}?\b(?:not found|does not exist|doesn't exist|is not a)\b|(?:string|text|old_?str(?:ing)?)\b.{0,80}\bnot found\b|no such file\b|\w+: .{1,200}: no such file or directory|found \d+ matches of|no replacement\b|permission denied|interrupted\b|the user (?:doesn't|does not|denied|rejected|declined))/i

/** A short text that says so: most APIs have no other sign. The content of a file may begin with such a word, too, and goes on. */
function isFailure(text: string, { name }: NanoCall): boolean {
  const code = exitCodeOf(text)
  if (code !== undefined && name === 'run_command') return code !== 0
  return FAILED.test(text) && text.trim().split('\n').length <= MOST_ERROR_LINES
}

const MOST_ERROR_LINES = 4

const WRITERS: Readonly<Record<string, (text: string, input: NanoCall['input']) => string>> = {
  read_file: (text, { from }) => numbered(text, Number(from ?? 1)),
  list_files: (text, { path }) => entriesIn(text, typeof path === 'string' ? path : '.'),
  find_files: (text) => pathsIn(text),
  search_text: (text) => hitsIn(text),
  run_command: (text) => withoutExit(text).replace(/^(?:output|stdout):\s*\n/i, ''),
}

const NUMBERED = /^\s*(?:L|line )?0*(\d{1,6})(?:→|\t| ?\| ?|: )(.*)$/i

/** Lines with their numbers, whatever stands between both. */
function numbered(text: string, first: number): string {
  const lines = text
    .replace(/^<(file|content|file_content)[^>]*>\n?/i, '')
    .replace(/\n?<\/(?:file|content|file_content)>\s*$/i, '')
    .split('\n')
  const found = lines.map((line) => NUMBERED.exec(line))
  const isNumbered = found.filter(Boolean).length * 10 >= lines.length * 9 && Number(found[0]?.[1]) === first
  if (isNumbered) return found.flatMap((line) => (line ? [`${line[1]}\t${line[2]}`] : [])).join('\n')
  return lines.map((line, index) => `${first + index}\t${line}`).join('\n')
}

/** With the folder in front, as the next call must name them. */
function entriesIn(text: string, path: string): string {
  const folder = path.replace(/^\.\/?/, '').replace(/\/+$/, '')
  const prefix = folder === '' ? '' : `${folder}/`
  const entries = text.split('\n').flatMap((line) => entryOf(line) ?? [])
  const inside = entries.filter((entry) => entry.replace(/\/+$/, '') !== folder && entry !== './')
  return (
    inside.map((entry) => (prefix !== '' && entry.startsWith(prefix) ? entry : prefix + entry)).join('\n') ||
    `${path} is empty.`
  )
}

/** Without bullets, branches of a tree, and what `ls -l` tells beside the name. */
function entryOf(line: string): string | undefined {
  const long = /^([d-])[rwxsStT-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+\S+\s+\S+\s+\S+\s+\S+\s+(.+)$/.exec(line)
  if (long) return long[1] === 'd' ? `${long[2]}/` : long[2]
  const marked = /^\s*\[(DIR|FILE)\]\s+(.+)$/i.exec(line)
  if (marked) return marked[1]?.toUpperCase() === 'DIR' ? `${marked[2]}/` : marked[2]
  const name = line.replace(/^[\s│├└─|`+*•-]*(?:\s|(?<=[│├└─]))/, '').trim()
  return name === '' ||
    /^total \d+$|^\d+ (?:files?|entries|items)|:$/i.test(name) ||
    name.length > LONGEST_PATH
    ? undefined
    : name
}

const LONGEST_PATH = 200

const pathsIn = (text: string): string => {
  const paths = text
    .split('\n')
    .map((line) =>
      line
        .replace(/^[\s*•-]+\s/, '')
        .trim()
        .replace(/^\.\//, ''),
    )
    .filter(
      (line) =>
        line !== '' && !/^(?:found \d+|no (?:files|matches)|\d+ (?:files?|matches)|\(?results)/i.test(line),
    )
  return paths.join('\n') || 'No files match.'
}

/** `path:line:text`; only the path where a client tells no more. */
function hitsIn(text: string): string {
  let file = ''
  const hits = text.split('\n').flatMap((line) => {
    const below = /^\s+(?:Line )?(\d+)[:|]\s?(.*)$/i.exec(line)
    if (below && file !== '') return [`${file}:${below[1]}:${below[2]}`]
    if (/^[^:\n]{1,200}:\d+[:-]/.test(line)) return [line.replace(/^\.\//, '')]
    const heading = /^(?:#+ )?([^\s:][^:]{0,200}\.\w{1,8}):?$/.exec(line.trim())
    if (!heading) return []
    file = (heading[1] ?? '').replace(/^\.\//, '')
    return line.trim().endsWith(':') ? [] : [`${file}:1:`]
  })
  return hits.join('\n') || 'No matches.'
}

const ROOT =
  /(?:working directory|current directory|\bcwd|workspace(?: directory| root| folder| path)?|project (?:root|directory|folder|path)|root (?:directory|folder|path))\b[^\n/]{0,24}?((?:\/[\w.@+~ -]+)+)/i

/** The folder a client says it works in. */
export const rootIn = (text: string): string | undefined =>
  ROOT.exec(text)?.[1]
    ?.trim()
    .replace(/[.,;]$/, '')
