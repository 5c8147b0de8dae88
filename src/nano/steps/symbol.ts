/**
 * A name that the project's files use and that is to be another one: "rename fmt_pct to format_percent in helpers.R and its tests". One call
 * for each file that has it; which files, the words say. Reads the files.
 */
import { nameOf } from '../request/naming.ts'
import { fitOf, saidIn } from '../paths/fit.ts'
import type { ProjectFiles } from '../project/sources.ts'
import type { NanoCall } from './run.ts'

export type Renaming = { readonly old: string; readonly new: string }

const NAME = String.raw`["'“‘${'`'}]?(?<$>[A-Za-z_$][\w$]*)["'”’${'`'}]?(?!\.\w|\w|/)`
const one = NAME.replace('$', 'old')
const other = NAME.replace('$', 'new')
const KIND = String.raw`(?:the\s+)?(?:(?:function|method|variable|class|constant|column|field|key|setting|helper)\s+)?`

const RENAMES = [
  String.raw`\brename\s+${KIND}${one}\s+(?:to|as|into|->)\s+${other}`,
  String.raw`${one}\s+(?:should|is to|must|has to|ought to|will)\s+(?:now\s+)?be\s+(?:called|renamed(?:\s+to)?|named)\s+${other}`,
  String.raw`\bcall\s+${KIND}${one}\s+${other}`,
  String.raw`${one}\s+(?:gets\s+(?:a\s+better|another|a\s+new)\s+name|is\s+an?\s+\w+\s+name)[\s.,:;]+(?:(?:please\s+)?(?:call|name)\s+it\s+)?${other}`,
].map((pattern) => new RegExp(pattern, 'i'))

/** Both are names as programs have them, no words. */
export function renamingIn(words: string): Renaming | undefined {
  for (const pattern of RENAMES) {
    const { old, new: written } = pattern.exec(words)?.groups ?? {}
    if (old !== undefined && written !== undefined && [old, written].every(isSymbol) && old !== written)
      return { old, new: written }
  }
  return undefined
}

const isSymbol = (word: string): boolean => /\w_\w|[a-z][A-Z]|[A-Z]{2,}[a-z]/.test(word)

type Place = {
  readonly clause: string
  readonly request: string
  readonly paths: readonly string[]
  readonly files: ProjectFiles
}

/** The next file in which it still has its old name; nothing where none is left, or nothing is renamed. */
export async function renameCall({ clause, request, paths, files }: Place): Promise<NanoCall | undefined> {
  const renaming = renamingIn(clause) ?? (request.startsWith(clause) ? renamingIn(request) : undefined)
  if (!renaming) return undefined
  const isCalled = new RegExp(
    String.raw`(?<![\w$])${renaming.old.replaceAll('$', String.raw`\$`)}(?![\w$])`,
    'g',
  )
  const found: { readonly path: string; readonly count: number }[] = []
  for (const path of paths) {
    const count = (await files.read(path).catch(() => '')).match(isCalled)?.length ?? 0
    if (count > 0) found.push({ path, count })
  }
  const [next] = namedIn(found, clause.replace(renaming.old, ' ').replace(renaming.new, ' '))
  const input = next && { path: next.path, ...renaming, ...(next.count > 1 && { all: true }) }
  return input && { name: 'edit_file', input }
}

/** Those that are named, in that order; all where none is, or everywhere is meant. */
function namedIn<One extends { readonly path: string }>(
  found: readonly One[],
  words: string,
): readonly One[] {
  const said = saidIn(words)
  const named = EVERYWHERE.test(words) ? [] : found.filter(({ path }) => fitOf(path, said).total > 0)
  const place = ({ path }: One): number => {
    const parts = nameOf(path).match(/[a-z\d]{3,}/g) ?? []
    const places = parts.map((part) => words.toLowerCase().indexOf(part)).filter((at) => at >= 0)
    return Math.min(words.length, ...places)
  }
  return named.length > 0 ? named.toSorted((a, b) => place(a) - place(b)) : found
}

const EVERYWHERE =
  /\b(?:everywhere|wherever|every place|throughout|whole project|all over|all (?:the )?(?:files|uses|callers|places))\b/i
