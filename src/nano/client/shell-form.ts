/** Plain work on files as one shell command, for clients that have a shell and no tool for it. Pure. */
import { dirname } from 'node:path'
import type { NanoCall } from '../steps/run.ts'

type Argument = (name: string) => string

const FORMS: Readonly<Record<string, (argument: Argument, input: NanoCall['input']) => string | undefined>> =
  {
    make_folder: (argument) => `mkdir -p ${argument('path')}`,
    copy_file: (argument) => `cp -rn ${argument('from')} ${argument('to')}`,
    move_file: (argument) => `mv -n ${argument('from')} ${argument('to')}`,
    delete_file: (argument) => `rm -r ${argument('path')}`,
    list_files: (argument) => `ls ${argument('path')}`,
    find_files: (_, { pattern }) => findCommand(typeof pattern === 'string' ? pattern : ''),
    search_text: (argument, { path }) =>
      `grep -rn -e ${argument('pattern')} ${path === undefined ? '.' : argument('path')}`,
    read_file: (argument, { from, to }) =>
      from === undefined && to === undefined
        ? `cat ${argument('path')}`
        : `sed -n '${Number(from ?? 1)},${to === undefined ? '$' : Number(to)}p' ${argument('path')}`,
    edit_file: (argument, { old, new: replacement, all }) =>
      all === true
        ? replaceCommand(String(old), String(replacement), argument('path'))
        : replaceOnce(String(old), String(replacement), argument('path')),
    // A file that is there is never written over: that is an edit, or the question of a client with a tool for it.
    write_file: (argument, { append, overwrite }) =>
      overwrite === true
        ? undefined
        : `${append === true ? '' : 'set -C; '}printf '%s\\n' ${argument('content')} ${append === true ? '>>' : '>'} ${argument('path')}`,
  }

export const hasCommand = (name: string): boolean => name in FORMS

/** Nothing for a call that no single command stands for. */
export function toCommand({ name, input }: NanoCall): string | undefined {
  const form = FORMS[name]
  return form?.(
    (key) => (key === 'content' || key === 'pattern' ? literal : quoted)(String(input[key])),
    input,
  )
}

/** The same behind the making of the folder that `to` is in. */
export function toCommandInNewFolder(call: NanoCall): string | undefined {
  const command = toCommand(call)
  const folder = dirname(String(call.input['to']))
  return command === undefined ? undefined : `mkdir -p ${quoted(folder)} && ${command}`
}

/** All occurrences, letter by letter. Nothing for several lines. */
function replaceCommand(old: string, replacement: string, path: string): string | undefined {
  if (old === '' || /[\n\r]/.test(old + replacement)) return undefined
  return `sed -i ${literal(`s/${pattern(old)}/${substitute(replacement)}/g`)} ${path}`
}

const substitute = (text: string): string => text.replaceAll(/[\\/&]/g, String.raw`\$&`)

/** In the one line that has it; fails, as an edit does, where none has it or several do. Nothing for several lines. */
function replaceOnce(old: string, replacement: string, path: string): string | undefined {
  const line = old.replace(/\n$/, '')
  const isWhole = line !== old && replacement === ''
  if ((line !== old && !isWhole) || line.trim() === '') return undefined
  if (/[\n\r]/.test(line + replacement)) return undefined
  const change = isWhole ? `/^${pattern(line)}$/d` : `s/${pattern(line)}/${substitute(replacement)}/`
  const count = `grep -c${isWhole ? 'x' : ''}F -e ${literal(line)} ${path}`
  return `test "$(${count})" = 1 && sed -i ${literal(change)} ${path}`
}

const pattern = (text: string): string => text.replaceAll(/[\\/.*^$[\]]/g, String.raw`\$&`)

/** `src/**\/*.ts`: the folder it begins with, then the name. Nothing where a folder in between is left open. */
function findCommand(pattern: string): string | undefined {
  const [, folder = '', name = ''] = /^((?:[^*?[\]/]+\/)*)(?:\*\*\/)?([^/]+)$/.exec(pattern) ?? []
  return name === '' ? undefined : `find ${quoted(folder.replace(/\/$/, '') || '.')} -name ${literal(name)}`
}

/** A path that begins with a dash is no option. */
const quoted = (text: string): string => literal(text.startsWith('-') ? `./${text}` : text)

const literal = (text: string): string =>
  /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

const ends = (words: readonly string[]): NanoCall['input'] => ({ from: words.at(-2), to: words.at(-1) })

const BACK: readonly (readonly [RegExp, (words: readonly string[]) => NanoCall])[] = [
  [/^mkdir -p \S+$/, ([, , path]) => ({ name: 'make_folder', input: { path } })],
  [/^(?:mkdir -p \S+ && )?cp -rn \S+ \S+$/, (words) => ({ name: 'copy_file', input: ends(words) })],
  [/^(?:mkdir -p \S+ && )?mv -n \S+ \S+$/, (words) => ({ name: 'move_file', input: ends(words) })],
  [/^rm -r \S+$/, ([, , path]) => ({ name: 'delete_file', input: { path } })],
  [/^ls \S+$/, ([, path]) => ({ name: 'list_files', input: { path } })],
  [/^cat \S+$/, ([, path]) => ({ name: 'read_file', input: { path } })],
  [
    /^sed -n \S+ \S+$/,
    ([, , lines = '', path]) => ({ name: 'read_file', input: { path, from: Number.parseInt(lines, 10) } }),
  ],
  [
    /^find \S+ -name \S+$/,
    ([, folder, , name]) => ({
      name: 'find_files',
      input: { pattern: folder === '.' ? `**/${name}` : `${folder}/**/${name}` },
    }),
  ],
  [/^grep -rn -e \S+ \S+$/, ([, , , pattern, path]) => ({ name: 'search_text', input: { pattern, path } })],
  [
    /^test "\$\(grep -cx?F -e \S+ \S+\)" = 1 && sed -i \S+ \S+$/,
    (words) => ({ name: 'edit_file', input: { path: words.at(-1) } }),
  ],
  [/^sed -i \S+ \S+$/, ([, , , path]) => ({ name: 'edit_file', input: { path } })],
  [
    /^printf \S+ \S+ >> \S+$/,
    // Without the end of the last line, where that had none.
    ([, , content = '', , path]) => ({
      name: 'write_file',
      input: { path, content: content.replace(/^\n/, ''), append: true },
    }),
  ],
  [
    /^set -C; printf \S+ \S+ > \S+$/,
    ([, , , , content, , path]) => ({ name: 'write_file', input: { path, content } }),
  ],
]

/** The call that one of these commands stands for, so that what follows may speak of its paths. */
export function fromCommand(command: string): NanoCall | undefined {
  const words = Array.from(command.matchAll(/(?:'[^']*'|\\.|[^\s'])+/g), ([word]) => word)
  const shape = words.map((word) => (/[\s]/.test(word) ? '_' : word)).join(' ')
  const [, call] = BACK.find(([form]) => form.test(shape)) ?? []
  return call?.(words.map((word) => word.replaceAll(/'([^']*)'|\\(.)/g, '$1$2').replace(/^\.\/(?=.)/, '')))
}
