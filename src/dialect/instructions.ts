/**
 * The tool description for a model without native tools: a short text from `prompts/tools.md` and one line per tool.
 * Small models lose the thread in schemas; a signature is enough.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { ToolSchema } from '../protocol/model.ts'
import { isObject } from '../lib/json.ts'
import { packageFile } from '../lib/package-files.ts'
import { typesOf } from '../lib/schema.ts'
import { requireFamily } from './all.ts'
import { blockInstructions } from './read/content-block.ts'
import { propertiesOf, requiredOf } from './read/tool-book.ts'

const FILE = 'tools.md'
const EXAMPLE = { id: 'call-1', name: 'tool_name', input: '{"parameter": "value"}' }
const DEFAULT_DIALECT = 'hermes'

export type InstructionOptions = {
  readonly dialect?: string
  /** The person's own prompts; a file `tools.md` in it takes the place of ours. */
  readonly folder?: string
  /** The content of files stands behind the call, not in it; see `content-block.ts`. */
  readonly blocks?: boolean
}

export async function loadToolInstructions(
  tools: readonly ToolSchema[],
  { dialect = DEFAULT_DIALECT, folder, blocks = false }: InstructionOptions = {},
): Promise<string> {
  const own = folder === undefined ? undefined : await readIfThere(join(folder, FILE))
  const text = own ?? (await readFile(packageFile(`prompts/${FILE}`), 'utf8'))
  const told = toolInstructions(text, tools, dialect)
  const family = requireFamily(dialect)
  const isTold = blocks && !family.proposesOnly && tools.some(({ name }) => name === 'write_file')
  return isTold ? `${told}\n${blockInstructions(family)}` : told
}

/** `text` with `{{tools}}` and `{{example}}` filled in. */
export function toolInstructions(text: string, tools: readonly ToolSchema[], dialect: string): string {
  const family = requireFamily(dialect)
  if (family.proposesOnly) return family.show(tools)
  const example = family.write(EXAMPLE)
  const lines = tools.map(toLine).join('\n')
  return text
    .trim()
    .replaceAll('{{tools}}', () => lines)
    .replaceAll('{{example}}', () => example)
}

/** `- read_file(path, from?: integer): Read a text file.` */
function toLine(tool: ToolSchema): string {
  const required = requiredOf(tool)
  const parameters = Object.entries(propertiesOf(tool)).map(([key, schema]) => {
    const type = isObject(schema) ? typeText(schema) : ''
    return `${key}${required.includes(key) ? '' : '?'}${type}`
  })
  const [sentence = ''] = (tool.description ?? '').split(/(?<=[.!?])\s|\n/, 1)
  return `- ${tool.name}(${parameters.join(', ')})${sentence === '' ? '' : `: ${sentence}`}`
}

function typeText(schema: Record<string, unknown>): string {
  const choices = schema['enum']
  if (Array.isArray(choices) && choices.length <= 6)
    return `: ${choices.map((choice) => JSON.stringify(choice)).join('|')}`
  const types = typesOf(schema).filter((type) => type !== 'null')
  return types.length === 0 || types.join() === 'string' ? '' : `: ${types.join('|')}`
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new AppError('config-invalid', `${path} cannot be read: ${errorMessage(error)}. Fix or remove it.`)
  }
}
