/** The same step with another file: which files may come next, with what speaks for each. Pure. */
import { nameOf, stands } from '../request/naming.ts'
import { fitOf } from '../paths/fit.ts'
import { bucket, type Facts, GAPS, openOf, type Scored, withAction } from './facts.ts'
import type { FurtherAsk } from './ask.ts'

/** The others fit the words less. */
const MOST_PATHS = 12

export function pathNexts({ made, project, clause }: FurtherAsk, facts: Facts): Scored[] {
  const last = made.at(-1)
  if (!last || last.do === 'other' || last.do === 'edit') return []
  const isFolder = (path: string): boolean => path.endsWith('/')
  const there = isFolder(last.path) || last.do === 'list' ? project.folders : project.files
  const all = there
    .filter((path) => !facts.done.some((one) => plain(one) === plain(path)))
    .map((path) => placed(path, facts))
    .toSorted((a, b) => b.gap - a.gap)
  return all.slice(0, MOST_PATHS).map((place, at) => ({
    next: { kind: 'path', path: place.path },
    worth: place.gap,
    isFresh: place.fresh > 0,
    signs: withAction(
      [
        'path',
        ...placeSigns(place, { facts, clause, last: last.path }),
        `rank:${Math.min(3, at)}`,
        `rank:${Math.min(3, at)} need:${facts.need}`,
        `rank:${Math.min(3, at)} open:${openOf(facts)}`,
        `rivals:${Math.min(4, all.filter(({ gap }) => gap >= place.gap).length)}`,
        `rivals:${Math.min(4, all.filter(({ gap }) => gap >= place.gap).length)} need:${facts.need}`,
      ],
      facts,
    ),
  }))
}

export type Place = {
  readonly path: string
  /** How much better it fits than what was done. */
  readonly gap: number
  /** Words that name it and nothing that was done; the other way round. */
  readonly fresh: number
  readonly lost: number
}

export function placed(path: string, { said, done }: Facts): Place {
  const own = fitOf(path, said)
  const others = done.map((one) => fitOf(one, said))
  const isKnown = (sign: string): boolean => others.some(({ signs }) => (signs.get(sign) ?? 0) >= 0.6)
  const last = others.at(-1)
  return {
    path,
    gap: own.total - Math.max(0, ...others.map(({ total }) => total)),
    fresh: [...own.signs].filter(([sign, worth]) => worth >= 0.6 && !isKnown(sign)).length,
    lost: [...(last?.signs ?? [])].filter(([sign, worth]) => worth >= 0.6 && (own.signs.get(sign) ?? 0) < 0.3)
      .length,
  }
}

type Beside = { readonly facts: Facts; readonly clause: string; readonly last: string }

export function placeSigns({ path, gap, fresh, lost }: Place, { clause, last }: Beside): string[] {
  const words = clause.toLowerCase()
  const spelled = stands(words, plain(path)) || (path.includes('.') && stands(words, nameOf(path)))
  const isSibling = folderOf(path) === folderOf(last)
  const alike = `${isSibling ? 'beside' : 'elsewhere'} ${typeOf(path) === typeOf(last) ? 'alike' : 'unlike'}`
  const family =
    familyOf(path) === familyOf(last) ? 'family' : nameOf(path) === nameOf(last) ? 'namesake' : 'stranger'
  return [
    `gap:${bucket(gap, GAPS)}`,
    `fresh:${Math.min(3, fresh)} lost:${Math.min(3, lost)}`,
    alike,
    family,
    `${alike} ${family} fresh:${Math.min(2, fresh)}`,
    `spelled:${spelled}`,
    `gap:${bucket(gap, GAPS)} ${family}`,
  ]
}

const plain = (path: string): string => path.toLowerCase().replace(/\/+$/, '')
const folderOf = (path: string): string => plain(path).slice(0, plain(path).lastIndexOf('/') + 1)
const typeOf = (path: string): string => /\.\w+$/.exec(path)?.[0].toLowerCase() ?? ''

/** The name without its numbers and its last word: `settings.pi.yaml` and `settings.yaml`, `app-2024-05-20.log` and `app-2024-05-21.log`. */
const familyOf = (path: string): string =>
  nameOf(path)
    .replaceAll(/\d+/g, '#')
    .split(/[-_. #]+/)[0] ?? ''
