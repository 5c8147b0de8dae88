/**
 * Covey's tools as nano sees them: one line each, and what kind of value a parameter takes. The kind decides which
 * values are allowed (nano-grammar.ts), so this is part of what the model was trained on: it must equal nano/tools.py,
 * and a test holds it to that.
 */
import type { Category } from '../../protocol/tool.ts'

export type ParameterKind =
  | 'path'
  | 'new_path'
  | 'glob'
  | 'command'
  | 'url'
  | 'id'
  | 'word'
  | 'text'
  | 'number'
  | 'flag'
  | 'choice'
  /** The number of a listed line. */
  | 'line'
  /** A stretch of that line. */
  | 'part'

export type NanoParameter = {
  readonly name: string
  readonly kind: ParameterKind
  readonly required: boolean
  readonly choices: readonly string[]
}

export type NanoTool = {
  readonly name: string
  readonly parameters: readonly NanoParameter[]
  readonly line: string
}

/** What the system message shows of a tool: `read_file(path, [from]) Read a text file`. */
export const signature = ({ name, parameters, line }: NanoTool): string =>
  `${name}(${parameters.map(shown).join(', ')}) ${line}`

function shown({ name, choices, required }: NanoParameter): string {
  const text = choices.length > 0 ? `${name}=${choices.join('|')}` : name
  return required ? text : `[${text}]`
}

/** A parameter is written `name:kind`, with `?` where it may be left out and its choices in place of a kind. */
function tool(name: string, line: string, ...parameters: readonly string[]): NanoTool {
  return { name, line, parameters: parameters.map(toParameter) }
}

function toParameter(text: string): NanoParameter {
  const [name = '', kind = ''] = text.split(':')
  const choices = kind.includes('|') ? kind.split('|') : []
  return {
    name: name.replace('?', ''),
    kind: choices.length > 0 ? 'choice' : (kind as ParameterKind),
    required: !name.endsWith('?'),
    choices,
  }
}

export const CHANGE_LINE = 'change_line'

const TOOLS: readonly NanoTool[] = [
  tool('read_file', 'Read a text file', 'path:path', 'from?:number', 'to?:number'),
  tool('list_files', 'List what is in a folder', 'path:path'),
  tool(
    'data_view',
    'Look into a CSV, TSV, JSON or Parquet file',
    'path:path',
    'view?:head|tail|shape|columns|describe',
    'sql?:text',
  ),
  tool('read_result', 'Read a stored result', 'id:id', 'from?:number'),
  tool('list_results', 'List the stored results'),
  tool('find_files', 'Find files by name', 'pattern:glob'),
  tool('search_text', 'Search file contents for exact text or a regex', 'pattern:text', 'path?:path'),
  tool('search_code', 'Find code by what it does', 'query:text', 'path?:path'),
  tool(
    'write_file',
    'Create a file or append to one',
    'path:new_path',
    'content:text',
    'overwrite?:flag',
    'append?:flag',
  ),
  tool('edit_file', 'Replace text in a file', 'path:path', 'old:text', 'new:text', 'all?:flag'),
  // Known to nano only: listed-lines.ts makes an edit_file of it.
  tool(CHANGE_LINE, 'Change part of a listed line', 'line:line', 'old:part', 'new:text'),
  tool('make_folder', 'Make a folder', 'path:new_path'),
  tool('copy_file', 'Copy a file or folder', 'from:path', 'to:new_path'),
  tool('move_file', 'Move or rename a file or folder', 'from:path', 'to:new_path'),
  tool('delete_file', 'Delete a file or folder', 'path:path'),
  tool('apply_patch', 'Apply a patch to files', 'patch:text'),
  tool('propose_patch', 'Store a patch for a person to review', 'plan:text', 'diff:text', 'tests:text'),
  tool('run_command', 'Run a shell command', 'command:command', 'background?:flag'),
  tool('job_output', 'Show what a background job printed', 'id:id'),
  tool('job_stop', 'Stop a background job', 'id:id'),
  tool('python', 'Run Python code', 'code:text'),
  tool('javascript', 'Run JavaScript code', 'code:text'),
  tool('fetch_url', 'Fetch a web page', 'url:url'),
  tool('remember', 'Keep a fact for later', 'text:text'),
  tool('recall', 'Look up a kept fact', 'query:text'),
  tool('plan', 'Show or change the project plan', 'action:show|add|start|done|note', 'text?:text'),
  tool('skill', 'Use a skill by name', 'name:word', 'args?:text'),
  tool(
    'promote_skill',
    'Make a function a tool',
    'file:path',
    'function:word',
    'name:word',
    'description:text',
  ),
  tool('spawn_subagents', 'Start helpers that work in parallel', 'tasks:text'),
  tool('ask_user', 'Ask the person a question', 'question:text', 'options?:text'),
  tool('system_info', 'Versions of the system and of what is installed'),
  tool('more_tools', 'List the tools of a category', 'category:read|write|search|run|web|memory|meta'),
  tool(
    'select_category',
    'Choose the kind of tool needed',
    'category:read|write|search|run|web|memory|meta|answer',
  ),
]

export const nanoTools: ReadonlyMap<string, NanoTool> = new Map(TOOLS.map((entry) => [entry.name, entry]))

/** Everyday steps. Every list begins with them: a wrong category then costs nothing, and the start of a prompt is cached. */
const COMMON =
  'read_file list_files find_files search_text write_file edit_file change_line make_folder copy_file move_file ' +
  'delete_file run_command'

export const offers: Readonly<Record<Category | 'answer', readonly string[]>> = {
  read: words(`${COMMON} data_view read_result list_results`),
  search: words(`${COMMON} data_view search_code recall`),
  write: words(`${COMMON} data_view apply_patch`),
  run: words(`${COMMON} job_output job_stop python javascript`),
  web: words(`${COMMON} fetch_url recall`),
  memory: words(`${COMMON} remember recall`),
  meta: words(`${COMMON} plan skill promote_skill system_info ask_user`),
  answer: words(`${COMMON} data_view fetch_url`),
}

function words(text: string): readonly string[] {
  return text.split(' ')
}

const READING = new Set(
  words(
    'read_file list_files data_view read_result list_results find_files search_text search_code job_output',
  ) //
    .concat(words('fetch_url recall plan ask_user system_info more_tools select_category remember skill')),
)

/** Whether a wrong call could do harm. A tool nano was never told about may do anything. */
export const isActing = (name: string): boolean => !READING.has(name)
