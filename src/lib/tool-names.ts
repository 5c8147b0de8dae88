/**
 * The tool a model meant when it wrote another name for it. Models bring names from other agents (`bash`, `str_replace_editor`,
 * `view_file`), from other languages (`readFile`), from Markdown (`read\_file`) and with what stood behind it in the prompt
 * (`read_file:0`, `read_file<|channel|>`). A name is read as a verb and what it acts on;
 * it stands for a tool only if exactly one tool has the same verb and acts on the same things. Nothing is guessed from spelling alone.
 */
import { resolveName } from './nearest.ts'

/** The tool of `names` that `written` stands for: the same name spelled differently, else the same action in other words. */
export function meantTool(written: string, names: readonly string[]): string | undefined {
  const name = written
    .replace(/<\|.*$/s, '')
    .replace(/:\d+$/, '')
    .replace(/\\(?=[_.-])/g, '')
    .replace(/^[\s`'"*]+|[\s`'"*()]+$/g, '')
  return resolveName(name, names) ?? sameAction(name, names)
}

/** Each verb stands for one action; a name with verbs of two actions stands for none, but for the pairs in `JOINED`. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  read: ['read', 'view', 'open', 'cat', 'show', 'display', 'get', 'load', 'head'],
  list: ['list', 'ls', 'dir', 'tree', 'listdir', 'readdir'],
  find: ['glob'],
  search: ['search', 'grep', 'rg', 'ripgrep', 'find', 'lookup', 'grepsearch'],
  edit: ['edit', 'replace', 'update', 'modify', 'change', 'substitute', 'strreplace', 'rewrite'],
  write: ['write', 'create', 'save', 'put', 'overwrite'],
  run: [
    'run',
    'execute',
    'exec',
    'bash',
    'shell',
    'sh',
    'zsh',
    'terminal',
    'system',
    'console',
    'powershell',
  ],
  patch: ['patch', 'applypatch'],
  fetch: ['fetch', 'browse', 'download', 'curl', 'webfetch'],
}

const ACTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries(VERBS).flatMap(([action, verbs]) => verbs.map((verb) => [verb, action] as const)),
)

/** Verbs that occur together in one name, and the action they mean. */
const JOINED: Readonly<Record<string, string>> = {
  'edit,search': 'edit',
  'edit,patch': 'patch',
  'list,read': 'list',
  'find,search': 'find',
  'find,list': 'find',
}

/** Words of prose that say nothing about which tool is meant. */
const PROSE = 'a an and the to in into of from on by for with my this based current new existing'.split(' ')

const THINGS =
  `file files text texts content contents code codebase base source project repo repository workspace string strings str editor
  tool function func call line lines regex pattern path paths local apply diff cmd command commands`.split(
    /\s+/,
  )

const FILLERS = new Set([...PROSE, ...THINGS])

/** What agents write in front of a name: `functions.read_file`, `default_api.read_file`, `mcp__files__read_file`. */
const NAMESPACES = 'functions tools default api mcp multi client agent assistant self'.split(' ')

const FOLDERS = new Set(['directory', 'directories', 'dir', 'dirs', 'folder', 'folders'])

const FIRST_WORDS: readonly string[] = [...ACTIONS.keys(), ...THINGS, ...FOLDERS, ...NAMESPACES]

/** Whether what begins so may still become, or is, a name some tool is meant by. Names that begin with a word of prose are not. */
export function mayNameTool(begun: string, names: readonly string[]): boolean {
  const folded = begun.toLowerCase().replace(/[-_.]/g, '')
  const word = /^[^-_.]*?[a-z\d](?=[A-Z])|^[^-_.]*/.exec(begun)?.[0] ?? ''
  const first = word.toLowerCase()
  const isWhole = word.length < begun.length
  const fits = (known: string): boolean => (isWhole ? known === first : known.startsWith(first))
  return (
    FIRST_WORDS.some(fits) ||
    names.some((name) => {
      const own = name.toLowerCase().replace(/[-_.]/g, '')
      return own.startsWith(folded) || folded.startsWith(own) || wordsOf(name).some(fits)
    })
  )
}

type Action = {
  readonly action: string
  /** What it acts on, where that is neither a file nor a command. */
  readonly objects: string
}

function sameAction(name: string, names: readonly string[]): string | undefined {
  if (name.length > 64) return undefined
  const wanted = actionOf(name)
  if (!wanted) return undefined
  const same = names.filter((candidate) => {
    const action = actionOf(candidate)
    return action?.action === wanted.action && action.objects === wanted.objects
  })
  return same.length === 1 ? same[0] : undefined
}

function actionOf(name: string): Action | undefined {
  const words = wordsOf(name)
  const verbs = [...new Set(words.flatMap((word) => ACTIONS.get(word) ?? []))].toSorted()
  // `terminal_cmd` and `command_line`: the thing a command is given to, without a verb.
  const isCommand = verbs.length === 0 && words.some((word) => /^(?:cmd|commands?)$/.test(word))
  const action = isCommand ? 'run' : verbs.length === 1 ? verbs[0] : JOINED[verbs.join(',')]
  if (action === undefined) return undefined
  const folders = words.some((word) => FOLDERS.has(word) && ACTIONS.get(word) === undefined)
  const objects = words.filter((word) => !ACTIONS.has(word) && !FILLERS.has(word) && !FOLDERS.has(word))
  if (!folders) return { action: findsFiles(action, words) ? 'find' : action, objects: objects.join(' ') }
  // Reading a folder is listing it; nothing else that is done to a folder has a tool of the same kind for files.
  return action === 'read' || action === 'list'
    ? { action: 'list', objects: objects.join(' ') }
    : { action: `${action} folder`, objects: objects.join(' ') }
}

/** `find_files` looks for names, `search_files` for text in them. */
const findsFiles = (action: string, words: readonly string[]): boolean =>
  action === 'search' && words.includes('find') && words.some((word) => word === 'file' || word === 'files')

const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/^.*(?:::|__|[:/])/s, '')
    .replace(/^(?:functions?|tools?|default_api|api)\./i, '')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean)
