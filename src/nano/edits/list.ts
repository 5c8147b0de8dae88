/** Entries of a list within one line: `["en", "sv"]`, `owners: Priya, Marek`. One that is named goes, or a new one is put at the end or behind another. Pure. */
import type { EditLine } from './lines.ts'
import type { NewPart } from './new.ts'
import type { Change } from './pair.ts'
import type { Wish } from './unsaid.ts'

type Entry = { readonly start: number; readonly end: number; readonly name: string }

type List = { readonly kind: 'quoted' | 'plain'; readonly quote: string; readonly entries: readonly Entry[] }

const MOST_NEW = 8

export function listChanges(
  line: Pick<EditLine, 'text'>,
  news: readonly NewPart[],
  { clause, wish }: { readonly clause: string; readonly wish: Wish },
): Change[] {
  const list = listIn(line.text)
  if (!list) return []
  const said = clause.toLowerCase()
  const isSaid = ({ name }: Entry): boolean => stands(said, name.toLowerCase())
  const removed = list.entries.filter(isSaid).map((entry) => removal(line.text, list, { entry, wish }))
  const added = ADDS.test(clause)
    ? news
        .filter((part) => isNewEntry(part, list))
        .slice(0, MOST_NEW)
        .flatMap((part) => additions(line.text, list, { part, clause }))
    : []
  return [...removed, ...added]
}

const ADDS = /\b(?:add|put|append|include|insert|goes|go|comes|needs?|also|too|join(?:s|ed)?|on)\b/i

/** The only list of a line: of quoted entries in brackets, or of words behind a colon or an equals sign. */
function listIn(text: string): List | undefined {
  const quoted = /[[{(]\s*((["'])[^"']*\2(?:\s*,\s*\2[^"']*\2)+|(["'])[^"']*\3)\s*[\]})]/.exec(text)
  if (quoted?.[1]) {
    const from = quoted.index + quoted[0].indexOf(quoted[1])
    const entries = Array.from(
      quoted[1].matchAll(/(["'])([^"']*)\1/g),
      ({ 0: all, 2: name = '', index }) => ({
        start: from + index,
        end: from + index + all.length,
        name,
      }),
    )
    return { kind: 'quoted', quote: quoted[1].slice(0, 1), entries }
  }
  const plain = /^[^:=,]{1,40}[:=]\s*([^,;:=]+(?:,\s*[^,;:=]+)+?)[.;]?$/.exec(text)
  if (!plain?.[1]) return undefined
  const from = text.indexOf(plain[1])
  const entries = Array.from(plain[1].matchAll(/[^,\s][^,]*?(?=\s*(?:,|$))/g), ({ 0: name, index }) => ({
    start: from + index,
    end: from + index + name.length,
    name,
  }))
  return { kind: 'plain', quote: '', entries }
}

function stands(said: string, name: string): boolean {
  if (name.length < 2) return false
  const at = said.indexOf(name)
  return at >= 0 && !/[\p{L}\p{N}]/u.test((said[at - 1] ?? '') + (said[at + name.length] ?? ''))
}

function removal(
  text: string,
  { kind, entries }: List,
  { entry, wish }: { readonly entry: Entry; readonly wish: Wish },
): Change {
  const at = entries.indexOf(entry)
  const next = entries[at + 1]
  const before = entries[at - 1]
  const after = next
    ? text.slice(0, entry.start) + text.slice(next.start)
    : text.slice(0, before?.end ?? entry.start) + text.slice(entry.end)
  return {
    after: after.trim(),
    signs: [
      'entry-removed',
      `entry-removed ${kind}`,
      `entry-removed ${wish.kind}`,
      `entry-removed ${kind} ${wish.kind}`,
      `entry-removed of:${Math.min(3, entries.length)}`,
      ...wish.verbs.map((verb) => `verb:${verb} entry-removed`),
    ],
  }
}

/** It is no entry yet, and is as long as the others. */
function isNewEntry(part: NewPart, { entries }: List): boolean {
  const isKnown = entries.some(({ name }) => name.toLowerCase() === part.lower)
  const most = Math.max(...entries.map(({ name }) => name.split(/\s+/).length))
  return (
    !isKnown && !part.isCut && part.words >= 1 && part.words <= most + 1 && !part.signs.includes('new-thin')
  )
}

function additions(
  text: string,
  { kind, quote, entries }: List,
  { part, clause }: { readonly part: NewPart; readonly clause: string },
): Change[] {
  const written = quote + part.text.replaceAll(/^["'“”`]|["'“”`]$/g, '') + quote
  const said = clause.slice(part.end).toLowerCase()
  const last = entries.at(-1)
  return entries.flatMap((entry) => {
    const isBehind = new RegExp(
      String.raw`\b(?:after|behind)\b.{0,20}${escaped(entry.name.toLowerCase())}`,
    ).test(said)
    if (entry !== last && !isBehind) return []
    const where = isBehind
      ? 'behind-said'
      : /\b(?:after|behind|before|first)\b/.test(said)
        ? 'end-other-said'
        : 'end'
    return [
      {
        after: `${text.slice(0, entry.end)}, ${written}${text.slice(entry.end)}`.trim(),
        signs: [
          'entry-added',
          `entry-added ${kind}`,
          `entry-added ${where}`,
          `entry-added ${shapesOf(part, entries)}`,
        ],
      },
    ]
  })
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

const shapesOf = ({ text }: NewPart, entries: readonly Entry[]): string => {
  const cased = (word: string): string => (/^\p{Lu}/u.test(word) ? 'capital' : 'small')
  return cased(text) === cased(entries[0]?.name ?? '') ? 'cased-alike' : 'cased-otherwise'
}
