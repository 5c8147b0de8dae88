/**
 * Which of nano's tools a client's tool stands for: by its name, where that leaves a choice by its parameters and its description. A tool
 * that does several things by a choice (`command: view | create | str_replace`) is one tool for each of them. Pure.
 */
import { isObject } from '../../lib/json.ts'
import { meantTool } from '../../lib/tool-names.ts'
import type { JsonSchema, ToolSchema } from '../../protocol/model.ts'
import { CHANGE_LINE, type NanoTool, nanoTools } from '../weights/tools.ts'

export type ClientTool = {
  readonly schema: ToolSchema
  /** What its name, or the choice, says. */
  readonly action: string
  /** Arguments that make it this one. */
  readonly fixed: Readonly<Record<string, unknown>>
}

/** A choice of what to do, not of how. */
const ACTION_KEYS = /^(?:command|action|operation|op|method|subcommand)$/i

/** The tool itself, or one for each value of its choice. */
export function actionsOf(schema: ToolSchema): ClientTool[] {
  const [key, values] = Object.entries(propertiesOf(schema))
    .map(([name, property]) => [name, choicesOf(property)] as const)
    .find(([name, choices]) => ACTION_KEYS.test(name) && choices.length > 1) ?? ['', []]
  // Nano knows the choices of its own tools.
  if (key === '' || nanoTools.has(schema.name)) return [{ schema, action: schema.name, fixed: {} }]
  return values.map((value) => ({ schema, action: value, fixed: { [key]: value } }))
}

const choicesOf = (property: unknown): string[] => {
  const values: readonly unknown[] =
    isObject(property) && Array.isArray(property['enum']) ? property['enum'] : []
  return values.filter((value) => typeof value === 'string')
}

export const propertiesOf = ({ parameters }: { readonly parameters: JsonSchema }): Record<string, unknown> =>
  isObject(parameters['properties']) ? parameters['properties'] : {}

/** Search by meaning: what others call a search looks for text. A listed line is changed by an edit. */
const OWN_KINDS = new Set(['search_code', CHANGE_LINE])
const COMMON = [...nanoTools.keys()].filter((name) => !OWN_KINDS.has(name))

export function meantBy({ schema, action: written }: ClientTool): NanoTool | undefined {
  const own = nanoTools.get(written)
  if (own) return own
  const action = withoutNamespace(written)
  if (BY_MEANING.test(action)) return undefined
  const name =
    fileOperation(action) ?? OTHERS.find(([names]) => names.test(action))?.[1] ?? meantTool(action, COMMON)
  return nanoTools.get(
    name === 'search_text' || name === 'find_files' ? searchKind(schema, name) : (name ?? ''),
  )
}

/** What several programs write in front of every name: `builtin_read_file`, `fs_read`. */
const withoutNamespace = (name: string): string =>
  name.replace(
    /^(?:[\w-]*__|(?:builtin|fs|filesystem|workspace|project|vscode|copilot|editor|default_api|functions)[_.-])(?=\w)/i,
    '',
  )

/** Search by meaning is another tool than search for a text. */
const BY_MEANING = /codebase|semantic|embedding|web|internet|symbol|docs?_search/i

const OTHERS: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:find|search|locate|lookup|file_?search)(?:_?files?)?(?:_?by)?_?(?:file_?)?(?:names?|paths?|glob)$/i,
    'find_files',
  ],
  [/^(?:file_?(?:search|finder|glob\w*)|(?:file_?)?glob_?search)$/i, 'find_files'],
  [/^(?:single_?|multi_?)?(?:find|search)_?(?:and_?)?replace$|^search_?replace$/i, 'edit_file'],
  [/^create_?new_?file$/i, 'write_file'],
]

const VERBS: readonly (readonly [string, RegExp])[] = [
  ['copy_file', /^(?:copy|cp|duplicate)$/],
  ['move_file', /^(?:move|mv|rename)$/],
  ['delete_file', /^(?:delete|remove|rm|trash|unlink|erase)$/],
  ['make_folder', /^(?:make|create|new|add|ensure)$/],
]
const FILE = /^(?:files?|paths?|item|entry|path|local|fs|tool)$/
const FOLDER = /^(?:folders?|dirs?|director(?:y|ies))$/

/** `create_directory`, `mv`, `delete_file`; nothing where it acts on something else, as `delete_branch` does. */
function fileOperation(action: string): string | undefined {
  const words = wordsOf(action)
  if (words.join('') === 'mkdir' || words.join('') === 'makedirs') return 'make_folder'
  const verbs = VERBS.filter(([, verb]) => words.some((word) => verb.test(word)))
  const [name, verb] = verbs[0] ?? []
  if (verbs.length !== 1 || name === undefined || verb === undefined) return undefined
  const things = words.filter((word) => !verb.test(word) && word !== 'or')
  const isFolder = things.length > 0 && things.every((word) => FOLDER.test(word))
  if (name === 'make_folder') return isFolder ? name : undefined
  return things.every((word) => FILE.test(word) || FOLDER.test(word)) ? name : undefined
}

const wordsOf = (name: string): string[] =>
  name
    .replace(/^.*__/s, '')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean)

/** `search_files` looks for names in one program and for text in another. */
function searchKind({ name, description = '', parameters }: ToolSchema, otherwise: string): string {
  const keys = Object.keys(propertiesOf({ parameters })).map((key) => key.toLowerCase())
  if (keys.some((key) => /regex|needle|search_?(?:text|string)/.test(key))) return 'search_text'
  if (
    /by_?name|file_?names?$/i.test(name) ||
    keys.some((key) => /^(?:glob|glob_?pattern)$/.test(key) && keys.length < 3)
  )
    return 'find_files'
  if (TEXT.test(description)) return 'search_text'
  return NAMES.test(description) ? 'find_files' : otherwise
}

const TEXT =
  /\b(?:contents?|text|regex|regular expression|lines?|ripgrep|grep|strings?|inside files|across files)\b/i
const NAMES =
  /\b(?:file (?:path|name)s?|files? (?:and (?:directories|folders) )?(?:by|whose|with) (?:\w+ )?names?|by (?:\w+ )?(?:glob|name)|(?:file ?)?names?|files(?: and (?:directories|folders))? (?:that )?match(?:ing)?|glob|find files|locate)\b/i
