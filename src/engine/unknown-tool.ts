/** What a model reads after calling a tool that does not exist: the one it meant, or what there is. */
import { nearest, resolveName } from '../lib/nearest.ts'
import { clip } from '../lib/text.ts'

const MOST_NAMES = 20
/** Servers take no name longer than this; a model that babbles writes one. */
const LONGEST_NAME = 64

export function unknownTool(written: string, names: readonly string[]): string {
  const name = clip(written, LONGEST_NAME)
  const meant = resolveName(name, names) ?? meantBy(name, names)
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : ''
  const list =
    names.length === 0
      ? 'There are no tools: answer in words.'
      : `Tools: ${names.slice(0, MOST_NAMES).join(', ')}${more}.`
  return [`There is no tool "${name}".`, meant && `Did you mean ${meant}?`, list].filter(Boolean).join(' ')
}

/** By spelling, else by what other agents call the same tool. */
const meantBy = (name: string, names: readonly string[]): string | undefined => {
  const other = elsewhere[name.toLowerCase().replace(/[-_.\s]|tool$/g, '')]
  return nearest(name, names) ?? (other && names.includes(other) ? other : undefined)
}

const elsewhere: { readonly [name: string]: string } = {
  bash: 'run_command',
  cat: 'read_file',
  create: 'write_file',
  createfile: 'write_file',
  execute: 'run_command',
  glob: 'find_files',
  grep: 'search_text',
  ls: 'list_files',
  open: 'read_file',
  read: 'read_file',
  replace: 'edit_file',
  search: 'search_text',
  shell: 'run_command',
  strreplace: 'edit_file',
  terminal: 'run_command',
  view: 'read_file',
  write: 'write_file',
}
