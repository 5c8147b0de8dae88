/**
 * Where a copy or a move may go, and what a new file or folder may be called: names of the clause, or the old name, in the folders that
 * are said, that exist or that an earlier step made. `target-signs.ts` says what speaks for each. Pure.
 */
import { stopWords, typeWords } from '../request/words.ts'
import { pathCandidates } from './ranking.ts'
import { ROOT } from './signs.ts'
import type { PathProject } from './project.ts'
import { createSigns, type Folder, isFileLike, type NameSpan, type Target } from './target-signs.ts'

export type TargetAction = 'copy' | 'move' | 'write' | 'mkdir'

export type TargetAsk = {
  readonly clause: string
  readonly action: TargetAction
  /** Of a copy or a move. */
  readonly from?: string
  readonly project: PathProject
  /** Paths that earlier steps were about, the latest first; a folder with or without its slash. */
  readonly recent: readonly string[]
}

export type TargetCandidate = { readonly path: string; readonly signs: readonly string[] }

const MOST_CANDIDATES = 700
/** A word that hardly is a name is only tried in the likeliest folders. */
const NEAR_FOLDERS = 5
const MOST_FOLDERS = 40

export function targetCandidates(said: TargetAsk): TargetCandidate[] {
  const from = said.from === undefined ? undefined : plain(said.from)
  const ask: TargetAsk = { ...said, clause: spoken(said.clause), ...(from !== undefined && { from }) }
  const known = { ...ask, spans: spansIn(ask.clause, ask.action), folders: foldersFor(ask) }
  const existing = ask.action === 'write' ? pathCandidates({ ...ask, role: 'append' }) : []
  const taken = new Set(existing.map(({ path }) => path))
  const targets = new Map<string, Target>()
  for (const target of targetsOf(known)) {
    const path = tidy(target.path)
    const isInSource = from !== undefined && `${path}/`.startsWith(`${from}/`)
    if (path === '' || isInSource || taken.has(path) || targets.has(path)) continue
    if (targets.size < MOST_CANDIDATES) targets.set(path, { ...target, path })
  }
  const signsOf = createSigns(known)
  return [
    ...Array.from(targets.values(), (target) => ({ path: target.path, signs: signsOf(target) })),
    ...existing.map(({ path, signs }) => ({
      path,
      signs: ['there', ...signs.map((sign) => `there|${sign}`)],
    })),
  ]
}

const plain = (path: string): string => path.replace(/\/+$/, '')
const tidy = (path: string): string => plain(path.replace(/^(?:\.\/|\/)+/, '').replaceAll(/\/{2,}/g, '/'))
const nameIn = (path: string): string => plain(path).split('/').at(-1) ?? ''
const folderOf = (path: string): string => plain(path).split('/').slice(0, -1).join('/')

/** The likeliest first: what the clause names, what earlier steps made, where the source is. */
function foldersFor({ clause, project, recent, from }: TargetAsk): Folder[] {
  const masked = from === undefined ? clause : maskSource(clause, from)
  const listed = pathCandidates({ clause: masked, role: 'list', project, recent })
  const existing = listed.map(({ path, signs }): Folder => {
    const own = path === ROOT ? '' : plain(path)
    return { path: own, isNew: false, signs: signs.slice(0, signs.length / 2) }
  })
  const near = [
    ...recent.map((one) => (isFileLike(plain(one)) ? folderOf(one) : plain(one))),
    folderOf(from ?? ''),
  ]
  const made = [...new Set(near)]
    .filter((path) => !existing.some((one) => one.path === path))
    .map((path) => ({ path, isNew: !project.folders.includes(`${path}/`), signs: ['unranked'] }))
  const weight = ({ path, signs, isNew }: Folder): number =>
    (isNew ? 9 : 0) +
    (recent.some((one) => plain(one) === path || folderOf(one) === path) ? 6 : 0) +
    (from !== undefined && folderOf(from) === path ? 8 : 0) +
    (path === '' ? 5 : 0) +
    fitIn(signs)
  return [...made, ...existing].toSorted((a, b) => weight(b) - weight(a)).slice(0, MOST_FOLDERS)
}

const fitIn = (signs: readonly string[]): number => {
  const spelled = signs.some((sign) => sign.startsWith('spelled:')) ? 4 : 0
  return spelled + Number(signs.find((sign) => sign.startsWith('fit:'))?.slice(4) ?? 0)
}

/** The folders of a source that is spelled out name no target. */
function maskSource(clause: string, from: string): string {
  const at = clause.toLowerCase().indexOf(plain(from).toLowerCase())
  if (at < 0 || !plain(from).includes('/')) return clause
  return `${clause.slice(0, at)}${nameIn(from)}${clause.slice(at + plain(from).length)}`
}

type Parts = TargetAsk & { readonly spans: readonly NameSpan[]; readonly folders: readonly Folder[] }

/** In the order in which equal paths are preferred. */
function* targetsOf(parts: Parts): Generator<Target> {
  const { spans, folders, action, from, clause } = parts
  const old = from === undefined ? undefined : nameIn(from)
  if (old !== undefined)
    for (const folder of folders) yield { path: join(folder.path, old), folder, kind: 'old' }
  for (const span of spans) {
    const near = folders.slice(0, span.isLikely ? MOST_FOLDERS : NEAR_FOLDERS)
    for (const { name, ending } of endingsFor(span, parts))
      for (const folder of near) yield { path: join(folder.path, name), folder, span, kind: 'name', ending }
    if (old !== undefined && !/\.\w{1,5}$/.test(span.name) && !span.isWeak)
      for (const folder of folders.slice(0, NEAR_FOLDERS))
        yield { path: join(folder.path, span.name, old), folder, span, kind: 'new-folder' }
  }
  for (const span of spans.filter((one) => isFileLike(one.name) && !one.name.includes('/')))
    for (const above of spans.filter((one) => one.isLikely && !isFileLike(one.name)).slice(0, NEAR_FOLDERS))
      for (const folder of folders.slice(0, 3))
        yield { path: join(folder.path, above.name, span.name), folder, span: above, kind: 'both-new' }
  if (old === undefined || action === 'mkdir' || !KEEPS.test(clause)) return
  for (const [name, word] of unsaidNames(old))
    for (const folder of folders.slice(0, NEAR_FOLDERS))
      yield { path: join(folder.path, name), folder, kind: 'unsaid', ending: word }
}

const KEEPS =
  /\b(?:back(?:ed)?[ -]?ups?|backups?|bak|copy|copies|duplicates?|dupe|old|safe|snapshot|before|clone)\b/i

const join = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('/')

type Named = { readonly name: string; readonly ending: string }

/** As it is said, and with the ending that goes without saying. */
function endingsFor({ name }: NameSpan, { action, from, clause, project }: Parts): Named[] {
  const said: Named = { name, ending: 'said' }
  // "The README" is README.md where there is one.
  const isThere =
    action === 'write' && project.files.some((path) => nameIn(path).replace(/\.\w+$/, '') === name)
  if (isThere) return []
  if (action === 'mkdir' || name.endsWith('/') || isFileLike(name)) return [said]
  if (from !== undefined) {
    const own = /\.[^./]+$/.exec(nameIn(from))?.[0] ?? ''
    const ended: Named = { name: name + own, ending: 'source' }
    if (own === '') return [said]
    return /^[A-Z_]+$/.test(name) ? [said, ended] : [ended]
  }
  const types = new Set(
    (clause.toLowerCase().match(/[a-z]+/g) ?? []).flatMap((word) => typeWords.get(word) ?? []),
  )
  return [said, ...Array.from(types, (type) => ({ name: `${name}.${type}`, ending: 'type-said' }))]
}

function unsaidNames(old: string): (readonly [string, string])[] {
  const ending = /(?<=.)\.[^./]+$/.exec(old)?.[0] ?? ''
  const stem = old.slice(0, old.length - ending.length)
  return [
    [`${old}.bak`, 'bak'],
    [`${old}.old`, 'dot-old'],
    ...['backup', 'old', 'copy'].flatMap((word) => [
      [`${stem}_${word}${ending}`, `_${word}`] as const,
      [`${stem}-${word}${ending}`, `-${word}`] as const,
    ]),
  ]
}

const MOST_WORDS = 4
/** What is written may be long; names come before it or behind it. */
const MOST_PLAIN = 40

function spansIn(clause: string, action: TargetAction): NameSpan[] {
  const words = wordsIn(clause)
  const single = words.flatMap((word, at) => spanOf([word], words, { at, joint: '' }))
  const many = words.flatMap((_, at) =>
    Array.from({ length: MOST_WORDS - 1 }, (__, more) => words.slice(at, at + more + 2)).flatMap((run) =>
      isRun(run, words, { at, action, clause })
        ? (['_', '-', ' '] as const).flatMap((joint) => spanOf(run, words, { at, joint }))
        : [],
    ),
  )
  const likely = single.filter(({ isLikely }) => isLikely)
  const plain = single.filter(({ isLikely }) => !isLikely)
  const kept = plain.length <= MOST_PLAIN ? plain : [...plain.slice(0, MOST_PLAIN - 10), ...plain.slice(-10)]
  return [...likely, ...many, ...kept]
}

type Word = {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly isQuoted: boolean
  /** A sign ends a part of the sentence behind it. */
  readonly isLast: boolean
}

function wordsIn(clause: string): Word[] {
  return Array.from(clause.matchAll(/[^\s"“”«»`()[\]{}<>,;]+/g)).flatMap(({ 0: raw, index }): Word[] => {
    const text = raw
      .replace(/^['‘’*~:]+/, '')
      .replace(/[.:!?…'’‘*]+$/, '')
      .replace(/['’]s$/, '')
    const start = index + raw.indexOf(text)
    const end = start + text.length
    const isQuoted = /["“«`'‘]/.test(clause[start - 1] ?? ' ') && /["”»`'’]/.test(clause[end] ?? ' ')
    return /[\p{L}\p{N}]/u.test(text)
      ? [{ text, start, end, isQuoted, isLast: /^[.:!?,;)]/.test(clause.slice(end)) }]
      : []
  })
}

const isPathLike = (text: string): boolean =>
  isFileLike(text) || /\/|_|\w-\w|[a-z]\d|\d{3}|^[A-Z]{4,}$/.test(text)

const ANNOUNCES = new Set(
  'called named call name titled as to into folder folders directory dir subfolder mkdir file be title it'.split(
    ' ',
  ),
)

const FILLERS = new Set(
  'empty fresh separate single blank extra little whole another called named folder file a an the to in of it is and or for i so that this my our your'.split(
    ' ',
  ),
)

type Where = { readonly at: number; readonly joint: NameSpan['joint'] }

function spanOf(run: readonly Word[], words: readonly Word[], { at, joint }: Where): NameSpan[] {
  const [first] = run
  const last = run.at(-1)
  if (!first || !last) return []
  const name = run.map(({ text }) => text).join(joint)
  const before = words[at - 1]?.text.toLowerCase() ?? ''
  const isCommon = run.length === 1 && stopWords.has(name.toLowerCase())
  if (isCommon && !ANNOUNCES.has(before)) return []
  if (run.length === 1 && FILLERS.has(name.toLowerCase())) return []
  if (before === 'as' && ['well', 'usual', 'soon'].includes(name)) return []
  const isAnnounced = ANNOUNCES.has(before)
  return [
    {
      name,
      start: first.start,
      end: last.end,
      words: run.length,
      joint,
      isQuoted: run.length === 1 ? first.isQuoted : false,
      isLikely: isPathLike(name) || first.isQuoted || (isAnnounced && !isCommon),
      isWeak: isCommon || (!isAnnounced && !isPathLike(name) && name.length < 3),
    },
  ]
}

type RunAsk = { readonly at: number; readonly action: string; readonly clause: string }

function isRun(run: readonly Word[], words: readonly Word[], { at, action, clause }: RunAsk): boolean {
  const before = words[at - 1]?.text.toLowerCase() ?? ''
  const isOpen = run.slice(0, -1).every(({ isLast, end }) => !isLast && clause[end] === ' ')
  const isCommon = [run[0], run.at(-1)].some(
    (word) => word !== undefined && stopWords.has(word.text.toLowerCase()),
  )
  if (!isOpen || isCommon || run.some(({ text }) => text.includes('/'))) return false
  return action === 'mkdir' || ANNOUNCES.has(before) || /["“'`]/.test(clause[(run[0]?.start ?? 0) - 1] ?? ' ')
}

/** "Notes slash window dot txt", as it is dictated. */
export const spoken = (text: string): string =>
  text.replaceAll(SPOKEN_SIGN, (_, word: string) => SPOKEN.get(word.toLowerCase()) ?? ' ')
const SPOKEN_SIGN = /(?<=[\p{L}\p{N}]) (slash|dot|underscore|dash|hyphen|equals|colon) (?=[\p{L}\p{N}])/giu
const SPOKEN = new Map(
  Object.entries({ slash: '/', dot: '.', underscore: '_', dash: '-', hyphen: '-', equals: '=', colon: ':' }),
)
