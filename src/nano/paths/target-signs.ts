/**
 * What speaks for a path as the target of a copy or a move, or as that of a new file or folder: how its folder is said, the words around
 * its name, the name's shape, the source and the steps before. Pure.
 */
import { stands } from '../request/naming.ts'
import type { PathProject } from './project.ts'

export type Folder = {
  /** Without a slash at the end; the root has none at all. */
  readonly path: string
  readonly isNew: boolean
  /** Of it as an existing folder that is said. */
  readonly signs: readonly string[]
}

export type NameSpan = {
  readonly name: string
  readonly start: number
  readonly end: number
  readonly words: number
  /** What stands between its words in the name. */
  readonly joint: '' | ' ' | '_' | '-'
  readonly isQuoted: boolean
  /** Looks like a path, or a word before it says that a name comes. */
  readonly isLikely: boolean
  /** A common word that nothing announces. */
  readonly isWeak: boolean
}

export type Target = {
  readonly path: string
  readonly folder: Folder
  /** The old name, a name of the clause, a new folder for the old name or for a new one, or a name that goes without saying. */
  readonly kind: 'old' | 'name' | 'new-folder' | 'both-new' | 'unsaid'
  readonly span?: NameSpan
  readonly ending?: string
}

type Known = {
  readonly clause: string
  readonly action: string
  readonly from?: string
  readonly project: PathProject
  readonly recent: readonly string[]
  readonly folders: readonly Folder[]
  readonly spans: readonly NameSpan[]
}

/** `notes/a.md`, `.env`, `Makefile`. */
export const isFileLike = (name: string): boolean =>
  /[^/]\.[A-Za-z]\w{0,9}(?:\.\d+)?$|(?:^|\/)\.\w+|(?:^|\/)(?:Makefile|Dockerfile|README|LICENSE|CHANGELOG)$/.test(
    name,
  )

export function createSigns(known: Known): (target: Target) => string[] {
  const facts = factsOf(known)
  const ofFolders = new Map<string, string[]>()
  return (target) => {
    const key = `${target.kind} ${target.folder.path}`
    const folder = ofFolders.get(key) ?? folderSigns(target, facts)
    ofFolders.set(key, folder)
    const name = target.span ? nameSigns(target, target.span, facts) : []
    const whole = wholeSigns(target, facts)
    const signs = [...folder, ...name, ...whole].map((sign) => `${target.kind}|${sign}`)
    return [...signs, ...signs.map((sign) => `${known.action}|${sign}`)]
  }
}

type Facts = ReturnType<typeof factsOf>

function factsOf(known: Known) {
  const { clause, from, spans, project } = known
  const said = clause.toLowerCase()
  const existing = [...project.files, ...project.folders].map((path) => path.replace(/\/+$/, ''))
  return {
    ...known,
    said,
    sourceAt: from === undefined ? -1 : placeOf(from, said),
    likely: spans
      .filter(({ isLikely, joint, words }) => isLikely && (words === 1 || joint === '_'))
      .toSorted((a, b) => a.start - b.start),
    phrases: PHRASES.flatMap(([name, pattern]) => (pattern.test(clause) ? [name] : [])),
    existing: new Set(existing),
    payload: PAYLOAD.exec(clause)?.index ?? clause.length,
  }
}

/** Where the source is named: by its path, its name, or the longest word of it. */
function placeOf(from: string, said: string): number {
  const name = (from.split('/').at(-1) ?? '').toLowerCase()
  const words = (name.replace(/\.\w+$/, '').match(/[a-z]{3,}|\d+/g) ?? []).toSorted(
    (a, b) => b.length - a.length,
  )
  const places = [from.toLowerCase(), name, ...words].map((part) => said.indexOf(part))
  return places.find((at) => at >= 0) ?? -1
}

const PHRASES: readonly (readonly [string, RegExp])[] = [
  [
    'same',
    /\bsame (?:folder|dir\w*|place|spot|location)|\b(?:next to|beside|alongside|right by)\b|\bstays? (?:where|in)\b/i,
  ],
  ['there', /\b(?:in|into|to|inside|under)? ?there\b|\bthither\b/i],
  ['it', /\b(?:in|into|inside|to|under) (?:it|that|this)\b|\bin$|\bin[.,;]/i],
  ['root', /\b(?:root|top[ -]level|top|main folder|outside|base)\b/i],
  ['up', /\b(?:up|back|out of)\b/i],
  ['rename', /\b(?:rename|retitle|mv|call|called|name)\b/i],
  ['folder', /\b(?:folder|director(?:y|ies)|dir|subfolder)\b/i],
  ['new', /\b(?:new|fresh|another)\b/i],
]
const PAYLOAD =
  /\b(?:saying|says?|with|containing|contains|reading|reads|that says|text|content|contents|in it)\b|: /i

function folderSigns({ folder }: Target, facts: Facts): string[] {
  const { path, isNew, signs } = folder
  const relation = relationOf(path, facts)
  const place = folderPlace(path, facts)
  const rank = facts.folders.findIndex((one) => one.path === path)
  return [
    ...signs.map((sign) => `in ${sign}`),
    `relation:${relation}`,
    ...facts.phrases.map((phrase) => `relation:${relation} ${phrase}`),
    ...(facts.phrases.length === 0 ? [`relation:${relation} plain`] : []),
    `rank:${Math.min(4, rank)}`,
    `folder-new:${isNew}`,
    ...(path !== '' && facts.said.includes(`${path.toLowerCase()}/`) ? ['goes-on'] : []),
    ...(isOfSource(path, facts) ? ['of-source', `of-source ${place}`] : []),
    `lately:${latelyOf(path, facts)}`,
    ...facts.phrases.slice(0, 3).map((phrase) => `lately:${latelyOf(path, facts)} ${phrase}`),
    `folder-said:${place}`,
    `folder-said:${place} ${relation}`,
  ]
}

/** "The tests table" names a source, not the folder tests. */
const isOfSource = (path: string, { from }: Facts): boolean => {
  const last = path.split('/').at(-1)?.toLowerCase() ?? ''
  return last !== '' && (from?.split('/').at(-1)?.toLowerCase().includes(last) ?? false)
}

function relationOf(path: string, { from }: Facts): string {
  if (from === undefined) return path === '' ? 'root' : 'below'
  const own = parentOf(from)
  if (path === own) return path === '' ? 'own-root' : 'own'
  if (path === '') return 'root'
  if (own !== '' && path.startsWith(`${own}/`)) return 'child'
  return own.startsWith(`${path}/`) ? 'above' : 'other'
}

const parentOf = (path: string): string => path.split('/').slice(0, -1).join('/')

/** What earlier steps had to do with the folder. */
function latelyOf(path: string, { recent, existing }: Facts): string {
  if (recent.length === 0) return 'first'
  const plain = recent.map((one) => one.replace(/\/+$/, ''))
  const at = plain.indexOf(path)
  if (at >= 0) return `${existing.has(path) ? 'there' : 'made'} ${Math.min(1, at)}`
  const inside = plain.findIndex((one) => parentOf(one) === path)
  if (inside >= 0) return `holds ${path === '' ? 'root' : Math.min(1, inside)}`
  return 'other'
}

/** How the folder's path or name is spelled, and the word before it. */
function folderPlace(path: string, { said, sourceAt }: Facts): string {
  if (path === '') return 'root'
  const low = path.toLowerCase()
  const last = low.split('/').at(-1) ?? ''
  const [how, part] =
    stands(said, low) || stands(said, `${low}/`)
      ? ['path', low]
      : stands(said, last)
        ? ['name', last]
        : ['no', '']
  if (part === '') return how
  const at = said.lastIndexOf(part)
  const side = sourceAt < 0 ? 'unsaid' : at < sourceAt ? 'before' : at > sourceAt ? 'after' : 'in'
  return `${how} ${side} ${leadOf(said.slice(0, at))}`
}

const LEADS = new Set(
  (
    'to into as called named call name it in inside under within from of at on for with folder folders directory dir subfolder file files the a an ' +
    'new my our their and or that this be is mkdir create make made start write put save copy move rename mv cp duplicate add ' +
    'there saying says say with text containing titled title onto over by cp so one also then just please exists not no instead'
  ).split(' '),
)

/** The last word before, and the sign between. */
function leadOf(before: string): string {
  const [, word = '', sign = ''] = /(\S*?)([^\p{L}\p{N}\s]*)\s*$/u.exec(before) ?? []
  const plain = word.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase()
  const mark = /[,;:.!?]/.exec(sign)?.[0] ?? (/->|=>|→/.test(sign) ? '>' : '')
  return `${plain === '' ? 'edge' : LEADS.has(plain) ? plain : isFileLike(word) ? 'file' : 'word'}${mark}`
}

const tailOf = (after: string): string => {
  const [, sign = '', word = ''] = /^([^\p{L}\p{N}\s]*)\s*([\p{L}\p{N}_./-]*)/u.exec(after) ?? []
  const mark = /[,;:.!?]/.exec(sign)?.[0] ?? ''
  const plain = word.toLowerCase()
  return `${mark}${plain === '' ? 'edge' : LEADS.has(plain) ? plain : 'word'}`
}

function nameSigns({ folder }: Target, span: NameSpan, facts: Facts): string[] {
  const { clause, said, sourceAt, likely } = facts
  const before = clause.slice(0, span.start)
  const one = leadOf(before)
  const two = leadOf(before.replace(/\S+\s*$/, ''))
  const next = tailOf(clause.slice(span.end))
  const shape = shapeOf(span.name)
  const order = likely.findIndex(({ start }) => start === span.start)
  const earlier = before.toLowerCase().match(/\p{L}+/gu) ?? []
  const announced = earlier.findLast((word) => ANNOUNCES.has(word)) ?? 'none'
  const signs = [
    `before:${one}`,
    `before:${two} ${one}`,
    `next:${next}`,
    `around:${one} ${next}`,
    `announced:${announced} ${one}`,
    `side:${sourceAt < 0 ? 'unsaid' : span.start < sourceAt ? 'before' : 'after'}`,
    `order:${order < 0 ? 'none' : Math.min(3, order)} of ${Math.min(4, likely.length)}`,
    `order-back:${order < 0 ? 'none' : Math.min(3, likely.length - 1 - order)}`,
    `words:${span.words} ${span.joint}`,
    `payload:${span.start > facts.payload}`,
    `verb:${span.start < 8 && span.words === 1}`,
  ]
  return [
    ...signs,
    ...signs.map((sign) => `${shape} ${sign}`),
    `shape:${shape}`,
    ...(span.isQuoted ? [`quoted ${shape}`] : []),
    `taken:${takenBy(span, facts)}`,
    `where:${betweenOf(span, folder, said)}`,
    `where:${betweenOf(span, folder, said)} ${shape}`,
  ]
}

const ANNOUNCES = new Set('called named call name as to into titled folder file mkdir from in'.split(' '))

const shapeOf = (name: string): string => {
  const kind = isFileLike(name) ? 'file' : 'bare'
  const slash = name.includes('/') ? (name.endsWith('/') ? ' slash-end' : ' slash') : ''
  const sign = slash !== '' ? '' : /^[A-Z_]+$/.test(name) ? ' upper' : /[_-]|\d/.test(name) ? ' sign' : ''
  return kind + slash + (kind === 'bare' ? sign : '')
}

/** The word is part of a path that exists, so it rather names that. */
function takenBy({ name }: NameSpan, { existing, project, from }: Facts): string {
  const low = name.toLowerCase().replace(/\/+$/, '')
  if (from?.toLowerCase().includes(low)) return 'source'
  if (existing.has(name.replace(/\/+$/, ''))) return 'path'
  if (project.files.some((path) => path.toLowerCase().endsWith(`/${low}`))) return 'name'
  if (
    project.files.some((path) => (path.split('/').at(-1) ?? '').toLowerCase().replace(/\.\w+$/, '') === low)
  )
    return 'stem'
  return project.folders.some((path) => path.toLowerCase().includes(low)) ? 'folder' : 'free'
}

/** Where the folder is said, seen from the name: "notes in archive", "in archive a file notes". */
function betweenOf(span: NameSpan, { path }: Folder, said: string): string {
  const last = path.toLowerCase().split('/').at(-1) ?? ''
  const at =
    last === '' ? -1 : said.search(new RegExp(`(?<![\\w-])${last.replaceAll(/[^\w]/g, '.')}(?![\\w])`))
  if (at < 0) return 'unsaid'
  if (at >= span.start && at < span.end) return 'inside'
  const between = at > span.end ? said.slice(span.end, at) : said.slice(at + last.length, span.start)
  const words = between.match(/[\p{L}]+/gu) ?? []
  return `${at > span.end ? 'behind' : 'ahead'} ${words.length > 4 ? 'far' : (words.filter((word) => LEADS.has(word)).at(at > span.end ? 0 : -1) ?? 'near')}`
}

function wholeSigns({ path, kind, span, ending, folder }: Target, facts: Facts): string[] {
  const { said, from, existing, phrases } = facts
  const name = path.split('/').at(-1) ?? ''
  const [top = '', below] = span?.name.split('/') ?? []
  const type = endingOf(name)
  return [
    `kind:${kind}`,
    ...phrases.map((phrase) => `kind ${phrase}`),
    `likely:${Math.min(3, facts.likely.length)}`,
    `spelled:${stands(said, path.toLowerCase())} ${stands(said, name.toLowerCase())}`,
    `exists:${existing.has(path)}`,
    ...(span ? [`exists:${existing.has(path)} ${takenBy(span, facts)}`] : []),
    ...(span ? [`given:${ending ?? ''} ${shapeOf(span.name)}`] : [`given:${ending ?? ''}`]),
    ...(below !== undefined ? [`nested-top:${existing.has(top)} ${folder.path === ''}`] : []),
    ...(from === undefined ? [] : [`same-ending:${type === endingOf(from)} ${type === ''}`]),
    `depth:${Math.min(4, path.split('/').length)}`,
  ]
}

const endingOf = (path: string): string => /[^/](\.[A-Za-z]\w*)$/.exec(path)?.[1]?.toLowerCase() ?? ''
