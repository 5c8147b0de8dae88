/**
 * Which of the paths of a project a clause is about: all of them, with what speaks for each, for a log-linear model that was trained on the
 * requests by hand. Pure.
 */
import { datesSaid } from './dates.ts'
import { fitOf, saidIn } from './fit.ts'
import { stopWords } from '../request/words.ts'
import { tellingWords } from '../edits/lines.ts'
import { isMark, type Mentioned, type Mentions, type PathProject } from './project.ts'
import { factsOf, type PathRole, pathSigns, plain, ROOT, rootSigns, type ScoredPath } from './signs.ts'

export type PathAsk = {
  readonly clause: string
  readonly role: PathRole
  readonly project: PathProject
  /** Paths that earlier steps were about, the latest first. */
  readonly recent: readonly string[]
}

export type PathCandidate = { readonly path: string; readonly signs: readonly string[] }

/** More are only ranked when their name or text shares most with the clause. */
const MOST_PATHS = 80

export function pathCandidates({ clause, role, project, recent }: PathAsk): PathCandidate[] {
  const said = saidIn(clause.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
  const mentions = mentionsOf(clause)
  const content = contentScores(clause, project)
  const scored = pathsFor(role, project, recent).map((path): ScoredPath => {
    const found = project.mentionsOf(path, mentions)
    return {
      path,
      found,
      fit: fitOf(path, said).total,
      rare: rarity(found, project),
      text: content.files.get(path) ?? 0,
      line: content.lines.get(path) ?? 0,
    }
  })
  const worth = ({ path, fit, rare, line }: ScoredPath): number =>
    fit + rare + line / 4 + (recent.includes(path) ? 3 : 0)
  const kept =
    scored.length <= MOST_PATHS ? scored : scored.toSorted((a, b) => worth(b) - worth(a)).slice(0, MOST_PATHS)
  const facts = factsOf(kept, { clause, role, recent, dates: datesSaid(clause).dates })
  const candidates = kept.map((one) => ({ path: one.path, signs: pathSigns(one, facts) }))
  return role === 'list' || role === 'scope'
    ? [{ path: ROOT, signs: rootSigns(facts) }, ...candidates]
    : candidates
}

/** Words of the clause that may name something, with where they stand. */
function mentionsOf(clause: string): Mentions {
  const words = Array.from(clause.matchAll(/[\p{L}\p{N}]+/gu), ({ 0: word, index: at }) => ({ word, at }))
  // `done.md` is a name, whatever "done" is.
  const isOfFile = (word: string, at: number): boolean => /^\.\w{1,5}\b/.test(clause.slice(at + word.length))
  // `PricingOld` is also pricing and old.
  const parts = words.flatMap(({ word, at }) =>
    CAMEL.test(word) ? (word.match(CAMEL_PARTS) ?? []).map((part) => ({ word: part, at })) : [],
  )
  return [...words, ...parts]
    .filter(
      ({ word, at }) =>
        isMark(word, at) || (word.length > 2 && (!stopWords.has(word.toLowerCase()) || isOfFile(word, at))),
    )
    .map(({ word, at }) => ({ word: word.toLowerCase(), at }))
}

const CAMEL = /\p{Ll}\p{Lu}/u
const CAMEL_PARTS = /\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu

/** What a step has just made may not be among the project's paths yet. */
function pathsFor(
  role: PathRole,
  { files, folders }: PathProject,
  recent: readonly string[],
): readonly string[] {
  const isFolder = (path: string): boolean => path.endsWith('/') || !/\.\w+$/.test(path)
  const made = recent.filter(
    (path) => !files.includes(path) && !folders.some((one) => plain(one) === plain(path)),
  )
  if (role === 'list') return [...folders, ...made.filter(isFolder)]
  return role === 'scope' || role === 'copy' || role === 'move' || role === 'delete'
    ? [...files, ...folders, ...made]
    : [...files, ...made.filter((path) => !isFolder(path))]
}

const rarity = ({ pieces }: Mentioned, project: PathProject): number =>
  [...pieces].reduce((sum, piece) => sum + project.rarityOf(piece), 0)

type ContentScores = {
  readonly files: ReadonlyMap<string, number>
  readonly lines: ReadonlyMap<string, number>
}

function contentScores(clause: string, project: PathProject): ContentScores {
  const asked = [...tellingWords(clause)]
  const files = new Map<string, number>()
  const lines = new Map<string, number>()
  for (const [path, text] of project.words) {
    const own = asked.filter((word) => text.all.has(word) && !text.names.has(word))
    files.set(
      path,
      own.reduce((sum, word) => sum + project.wordRarity(word), 0),
    )
    if (own.length === 0) continue
    const ofLine = (line: ReadonlySet<string>): number =>
      own.reduce((sum, word) => sum + (line.has(word) ? project.wordRarity(word) : 0), 0)
    lines.set(path, Math.max(0, ...text.lines.map(ofLine)))
  }
  return { files, lines }
}
