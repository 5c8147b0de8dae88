/** A skill: instructions that are read on need, and what may be used while they are followed. */
import { AppError } from '../protocol/error.ts'
import { clip } from '../lib/text.ts'
import { type FrontValue, readFrontMatter } from './front-matter.ts'

/** From the weakest to the strongest: a later one replaces an earlier one of the same name. */
export const skillOrigins = ['bundled', 'user', 'plugin', 'project'] as const
export type SkillOrigin = (typeof skillOrigins)[number]

export type Skill = {
  readonly name: string
  readonly description: string
  readonly place: SkillOrigin
  readonly folder: string
  /** Of everything in the folder when it was read. */
  readonly contentHash: string
  readonly body: string
  /** Other files of the folder. */
  readonly files: readonly string[]
  /** Only these tools while it runs. */
  readonly allowedTools?: readonly string[]
  /** Only paths under these while it runs. */
  readonly allowedPaths?: readonly string[]
}

export type SkillSource = Pick<Skill, 'place' | 'folder' | 'contentHash' | 'files'>

export const skillName = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Throws `config-invalid` with what is wrong in SKILL.md. */
export function parseSkill(text: string, source: SkillSource): Skill {
  if (text.length > MAX_TEXT)
    throw wrong(`it is over ${MAX_TEXT / 1000} kB; put details into files beside it`)
  const { fields, body } = readFrontMatter(text)
  const name = textOf(fields['name'])
  if (!skillName.test(name) || name.length > 64) {
    throw wrong('`name` must be lower-case words with hyphens, such as `review-code`')
  }
  const description = textOf(fields['description']).replaceAll(/\s+/g, ' ')
  if (description === '') throw wrong('`description` is missing; say when the skill helps')
  if (body === '') throw wrong('there are no instructions below the head')
  const tools = fields['allowed-tools']
  const paths = fields['paths'] ?? fields['allowed-paths']
  return {
    name,
    description: clip(description, 1024),
    ...source,
    body,
    ...(tools !== undefined && { allowedTools: toTools(tools) }),
    ...(paths !== undefined && { allowedPaths: listOf(paths, /[^\s,]+/g).map(toPath) }),
  }
}

const MAX_TEXT = 256_000

const wrong = (what: string): AppError => new AppError('config-invalid', what)

const textOf = (value: FrontValue | undefined): string => (typeof value === 'string' ? value.trim() : '')

function listOf(value: FrontValue, item: RegExp): readonly string[] {
  if (typeof value === 'string') return value.match(item) ?? []
  if (Array.isArray(value)) return value as readonly string[]
  throw wrong('`allowed-tools` and `paths` are lists of names')
}

/** Names other agents use for the same thing. */
const ALIASES: Readonly<Record<string, string>> = {
  Read: 'read_file',
  Write: 'write_file',
  Edit: 'edit_file',
  LS: 'list_files',
  Glob: 'find_files',
  Grep: 'search_text',
  Bash: 'run_command',
  WebFetch: 'fetch_url',
  AskUserQuestion: 'ask_user',
}

/**
 * A tool that is allowed for some of its uses only (`Bash(git:*)`) is left out: what cannot be enforced here must not
 * become more than it says.
 */
const toTools = (value: FrontValue): readonly string[] =>
  [...new Set(listOf(value, /[^\s,(]+(?:\([^)]*\)?)?/g).filter((name) => !name.includes('(')))].map(
    (name) => ALIASES[name] ?? name,
  )

/** A folder or a file of the project; `src/**` is the folder. */
function toPath(path: string): string {
  const plain = path.replace(/^\.\//, '').replace(/\/(?:\*\*(?:\/\*)?)?$/, '')
  const isPlain =
    plain !== '' &&
    plain !== '.' &&
    !/[*?[\]{}]/.test(plain) &&
    !plain.startsWith('/') &&
    !/(?:^|\/)\.\.(?:\/|$)/.test(plain)
  if (isPlain) return plain
  throw wrong(`\`paths\` has "${path}"; name folders or files of the project, such as \`src\` or \`docs/**\``)
}
