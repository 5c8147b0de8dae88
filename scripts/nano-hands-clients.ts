/**
 * Tools as other programs offer them over the API, for `nano:hands --api`: their names, parameters and descriptions, and what a call
 * of each does in Covey's own words. A shell command is carried out, the rest is judged as the own tool it equals.
 */
import type { NanoCall } from '../src/nano/steps/run.ts'
import type { JsonSchema } from '../src/protocol/model.ts'

type Input = NanoCall['input']

export type ClientTool = {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
  /** The same call of Covey's own tool; a command for a shell. */
  toOwn(input: Input): NanoCall
}

/** `name key key:number? -> own own-key=key ...` and the description. */
function tool(line: string, description: string): ClientTool {
  const [left = '', right = ''] = line.split(' -> ')
  const [name = '', ...keys] = left.split(' ')
  const [own = '', ...pairs] = right.split(' ')
  return {
    name,
    description,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(keys.map((key) => [plain(key), { type: typeOf(key) }])),
      required: keys.filter((key) => !key.endsWith('?')).map(plain),
    },
    toOwn: (input) => ({
      name: own,
      input: Object.fromEntries(
        pairs
          .map((pair) => pair.split('='))
          .flatMap(([key = '', theirs = key]) => (theirs in input ? [[key, input[theirs]]] : [])),
      ),
    }),
  }
}

const plain = (key: string): string => key.replace(/[:?].*$/, '')
const typeOf = (key: string): string => /:(\w+)/.exec(key)?.[1] ?? 'string'

/** A tool whose input no line of keys describes. */
const shaped = (
  base: ClientTool,
  properties: Record<string, JsonSchema>,
  toOwn: ClientTool['toOwn'],
): ClientTool => ({
  ...base,
  parameters: {
    ...base.parameters,
    properties: { ...(base.parameters['properties'] as object), ...properties },
  },
  toOwn,
})

const first = (value: unknown): Input => (Array.isArray(value) ? ((value[0] ?? {}) as Input) : {})

const capitals: readonly ClientTool[] = [
  tool(
    'Read file_path offset:number? limit:number? -> read_file path=file_path from=offset',
    'Reads a file from the local filesystem.',
  ),
  tool(
    'Write file_path content -> write_file path=file_path content',
    'Writes a file to the local filesystem, replacing one that is there.',
  ),
  tool(
    'Edit file_path old_string new_string replace_all:boolean? -> edit_file path=file_path old=old_string new=new_string all=replace_all',
    'Performs exact string replacements in files.',
  ),
  tool(
    'Bash command description? timeout:number? -> run_command command',
    'Executes a given bash command in a persistent shell session.',
  ),
  tool(
    'Glob pattern path? -> find_files pattern',
    'Fast file pattern matching that works with any codebase size.',
  ),
  tool(
    'Grep pattern path? glob? output_mode? -> search_text pattern path',
    'A powerful search tool built on ripgrep.',
  ),
  tool('LS path -> list_files path', 'Lists files and directories in a given path.'),
  tool('WebFetch url prompt -> fetch_url url', 'Fetches content from a URL and answers a question about it.'),
  tool('TodoWrite todos:array -> plan', 'Creates and manages a structured task list.'),
]

const camels: readonly ClientTool[] = [
  tool('read filePath offset:number? limit:number? -> read_file path=filePath from=offset', 'Read a file.'),
  tool('write filePath content -> write_file path=filePath content', 'Write a file.'),
  tool(
    'edit filePath oldString newString replaceAll:boolean? -> edit_file path=filePath old=oldString new=newString all=replaceAll',
    'Replace a string in a file.',
  ),
  tool('bash command description -> run_command command', 'Run a command in bash.'),
  tool('glob pattern path? -> find_files pattern', 'Find files by a glob pattern.'),
  tool(
    'grep pattern path? include? -> search_text pattern path',
    'Search the contents of files by a regular expression.',
  ),
  tool('list path? -> list_files path', 'List a directory.'),
]

const approving: readonly ClientTool[] = [
  tool('read_file path -> read_file path', 'Request to read the contents of a file at the specified path.'),
  tool(
    'write_to_file path content -> write_file path content',
    'Request to write content to a file at the specified path.',
  ),
  shaped(
    tool(
      'replace_in_file path diff -> edit_file path',
      'Request to replace sections of content in an existing file using SEARCH/REPLACE blocks.',
    ),
    {},
    ({ path, diff }) => {
      const [, old, replacement] =
        /[<-]{5,} SEARCH\n([\s\S]*?)\n={5,}\n([\s\S]*?)\n?[>+]{5,} REPLACE/.exec(String(diff)) ?? []
      return { name: 'edit_file', input: { path, old, new: replacement } }
    },
  ),
  tool(
    'execute_command command requires_approval:boolean -> run_command command',
    'Request to execute a CLI command on the system.',
  ),
  tool(
    'list_files path recursive:boolean? -> list_files path',
    'Request to list files and directories within the specified directory.',
  ),
  tool(
    'search_files path regex file_pattern? -> search_text pattern=regex path',
    'Request to perform a regex search across files in a specified directory.',
  ),
  tool(
    'ask_followup_question question -> ask_user question',
    'Ask the user a question to gather additional information.',
  ),
]

const served: readonly ClientTool[] = [
  tool(
    'read_text_file path head:number? tail:number? -> read_file path',
    'Read the complete contents of a file from the file system as text.',
  ),
  tool(
    'write_file path content -> write_file path content',
    'Create a new file or completely overwrite an existing file with new content.',
  ),
  shaped(
    tool(
      'edit_file path edits:array dryRun:boolean? -> edit_file path',
      'Make line-based edits to a text file.',
    ),
    {
      edits: {
        type: 'array',
        items: {
          type: 'object',
          properties: { oldText: { type: 'string' }, newText: { type: 'string' } },
          required: ['oldText', 'newText'],
        },
      },
    },
    ({ path, edits }) => ({
      name: 'edit_file',
      input: { path, old: first(edits)['oldText'], new: first(edits)['newText'] },
    }),
  ),
  tool('create_directory path -> make_folder path', 'Create a new directory or ensure a directory exists.'),
  tool(
    'list_directory path -> list_files path',
    'Get a detailed listing of all files and directories in a specified path.',
  ),
  tool(
    'move_file source destination -> move_file from=source to=destination',
    'Move or rename files and directories.',
  ),
  tool(
    'search_files path pattern excludePatterns:array? -> find_files pattern',
    'Recursively search for files and directories matching a pattern.',
  ),
  tool('get_file_info path -> info path', 'Retrieve detailed metadata about a file or directory.'),
  tool('run_shell cmd -> run_command command=cmd', 'Run a command line and return its output.'),
]

const editor: readonly ClientTool[] = [
  shaped(
    tool(
      'str_replace_based_edit_tool command path file_text? old_str? new_str? insert_line:number? insert_text? view_range:array? -> read_file path',
      'Custom editing tool for viewing, creating and editing files.',
    ),
    { command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert'] } },
    ({ command, path, file_text: content, old_str: old, new_str: replacement }) => {
      if (command === 'view') return { name: 'read_file', input: { path } }
      if (command === 'create') return { name: 'write_file', input: { path, content } }
      return {
        name: command === 'str_replace' ? 'edit_file' : 'insert',
        input: { path, old, new: replacement ?? '' },
      }
    },
  ),
  tool('bash command -> run_command command', 'Run commands in a bash shell.'),
]

const shell: readonly ClientTool[] = [
  tool('list_dir dir_path -> list_files path=dir_path', 'Lists entries in a local directory.'),
  tool(
    'view_file file_path start_line:number? end_line:number? -> read_file path=file_path from=start_line',
    'View the contents of a file.',
  ),
  tool(
    'create_file file_path contents -> write_file path=file_path content=contents',
    'Create a file with the given contents.',
  ),
  tool(
    'replace_string file_path find replace -> edit_file path=file_path old=find new=replace',
    'Replace one string in a file by another.',
  ),
  tool('find_by_name query -> find_files pattern=query', 'Search for files by name.'),
  tool(
    'grep_search query search_path? -> search_text pattern=query path=search_path',
    'Search for text in files.',
  ),
  tool('shell cmd workdir? -> run_command command=cmd', 'Runs a shell command and returns its output.'),
]

export const clients: Readonly<Record<string, readonly ClientTool[]>> = {
  capitals,
  camels,
  approving,
  served,
  editor,
  shell,
}

/** A command that only looks, as the tool that does the same. */
export function lookOf(command: string): NanoCall | undefined {
  const [program = '', ...words] = shellWords(command)
  if (program === 'cat') return { name: 'read_file', input: { path: words[0] } }
  if (program === 'sed' && words[0] === '-n')
    return { name: 'read_file', input: { path: words[2], from: Number.parseInt(words[1] ?? '1', 10) } }
  if (program === 'ls') return { name: 'list_files', input: { path: words.at(-1) ?? '.' } }
  if (program === 'grep') {
    const [pattern, path] = words.filter((word) => !word.startsWith('-'))
    return { name: 'search_text', input: { pattern, ...(path === '.' ? {} : { path }) } }
  }
  const [folder = '', option, name = ''] = words
  if (program !== 'find' || option !== '-name') return undefined
  return { name: 'find_files', input: { pattern: folder === '.' ? `**/${name}` : `${folder}/**/${name}` } }
}

const shellWords = (command: string): string[] =>
  Array.from(command.matchAll(/(?:'[^']*'|\\.|[^\s'])+/g), ([word]) =>
    word.replaceAll(/'([^']*)'|\\(.)/g, '$1$2'),
  )
