/**
 * A file that a request names and that is not there: "delete newsletter.html", "open level07" beside level01 to level06. Then nothing is
 * done, and that is said; another file is not taken instead. Pure.
 */
import type { PathProject } from '../opinion/path-project.ts'
import { nameOf, stands } from './naming.ts'
import type { NanoCall } from './run.ts'
import { runners } from './words.ts'

const FILE = /(?<![\w@:/.-])[\w-][\w./-]*\.[a-z]\w{0,5}\b(?![/(@])|\b[A-Z][a-z]+file\b/g
const NUMBERED = /(?<![\w./-])[a-z][a-z_-]{2,}\d+(?![\w.-])/gi

/** The name that is not there; nothing where the call is about a file of the project, or one it makes. */
export function missingFile(
  call: NanoCall,
  request: string,
  { files, texts }: Pick<PathProject, 'files' | 'texts'>,
): string | undefined {
  const target = targetOf(call)
  if (target === undefined || files.length === 0) return undefined
  const isThere = (name: string): boolean => files.some((path) => isCalled(path, name))
  if (stands(request, target) && !isThere(target) && !isFolder(target, files)) return target
  const spoken = withoutTexts(call, request)
  // `payout.zero` is no file where a line has it.
  const isText = (name: string): boolean => [...texts.values()].some((text) => stands(text, name))
  const spelled = (spoken.match(FILE) ?? []).filter((name) => isThere(name) || !isText(name))
  const named = [...spelled, ...numberedLike(spoken, files)]
  const [first] = named
  return first !== undefined && named.every((name) => !isThere(name)) && !isNamedIn(target, spoken)
    ? first
    : undefined
}

/** Tools for which the file must be there, with the parameter that names it. */
const NEEDS: Readonly<Record<string, string>> = {
  read_file: 'path',
  data_view: 'path',
  delete_file: 'path',
  edit_file: 'path',
}

function targetOf({ name, input }: NanoCall): string | undefined {
  const value = name === 'run_command' ? scriptOf(String(input['command'])) : input[NEEDS[name] ?? '']
  return typeof value === 'string' ? value.replace(/^\.\//, '') : undefined
}

/** `bash x.sh`: of other commands nothing is known. */
const scriptOf = (command: string): string | undefined => {
  const [, file] = /^(?:\w+ )?(?:\.\/)?([\w./-]+\.(\w+))(?:\s|$)/.exec(command) ?? []
  return file !== undefined && runners.has(file.split('.').at(-1) ?? '') ? file : undefined
}

const isCalled = (path: string, name: string): boolean => {
  const [one, other] = [path.toLowerCase(), name.toLowerCase().replace(/^\.\//, '')]
  return one === other || one.endsWith(`/${other}`)
}

const isFolder = (path: string, files: readonly string[]): boolean =>
  files.some((file) => file.toLowerCase().startsWith(`${path.toLowerCase().replace(/\/+$/, '')}/`))

/** `level07` where there are a `level06` and a `level08`. */
function numberedLike(request: string, files: readonly string[]): string[] {
  const stems = files.map((path) => nameOf(path).replace(/\.\w+$/, ''))
  return (request.match(NUMBERED) ?? []).filter((word) => {
    const letters = word.toLowerCase().replace(/\d+$/, '')
    const alike = stems.filter((stem) => new RegExp(String.raw`(?:^|[^a-z])${letters}\d`).test(stem))
    return alike.length > 1 && !alike.some((stem) => stem.includes(word.toLowerCase()))
  })
}

const isNamedIn = (path: string, request: string): boolean =>
  [path, nameOf(path), nameOf(path).replace(/\.\w+$/, '')].some((name) =>
    stands(request.toLowerCase(), name.toLowerCase()),
  )

/** Names within what is written or replaced mean no file. */
const withoutTexts = ({ input }: NanoCall, request: string): string =>
  ['old', 'new', 'content', 'pattern']
    .flatMap((key) => (typeof input[key] === 'string' && input[key] !== '' ? [input[key]] : []))
    .reduce((rest, text) => rest.replaceAll(text, ' … '), request)
    .replaceAll(/"[^"\n]*"|“[^”\n]*”|`[^`\n]*`/g, ' … ')
