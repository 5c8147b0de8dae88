/** Changes whose new text is not said: a box is ticked, a switch turned, a line or a part of it removed. Pure. */
import { like } from '../project/listed-lines.ts'
import type { EditLine } from './lines.ts'
import type { OldPart } from './old.ts'

/** What may be written without being said. */
const UNSAID = ['', '[x]', '[ ]', 'yes', 'no', 'true', 'false', 'on', 'off', 'done']

export type Unsaid = { readonly after: string; readonly signs: readonly string[] }

/** What a clause wants done, as far as verbs tell. */
export type Wish = { readonly verbs: readonly string[]; readonly kind: 'ticks' | 'removes' | 'sets' | 'none' }

export function wishOf(clause: string): Wish {
  const verbs = verbsIn(clause)
  const isRemoving = verbs.some((verb) => REMOVING.has(verb))
  const isSetting = verbs.some((verb) => !NOUNS.has(verb))
  if (TICKS.test(clause)) return { verbs, kind: 'ticks' }
  return { verbs, kind: isRemoving ? 'removes' : isSetting ? 'sets' : 'none' }
}

const TICKS = /\b(?:un)?tick|\buncheck(?:ed)?\b|\b(?:check|cross|mark)\b[^.;]{0,40}?\b(?:off|done)\b/i

export const unsaidChanges = (line: EditLine, old: OldPart, wish: Wish): Unsaid[] =>
  UNSAID.flatMap((text) => unsaidChange(line, old, text, wish) ?? [])

function unsaidChange(line: EditLine, old: OldPart, text: string, { verbs, kind }: Wish): Unsaid | undefined {
  const isOpposite = OPPOSITE[old.text.toLowerCase()] === text
  const isRemoval = text === ''
  if (!isRemoval && ((text !== 'done' && !isOpposite) || onlyRemoves(verbs))) return undefined
  if (isRemoval ? old.text === '' : old.kinds.includes('old:comment')) return undefined
  // "Uncomment the mount" removes the sign of a comment, and nothing else.
  if (isRemoval && verbs.includes('uncomment') && !old.kinds.includes('old:comment')) return undefined
  if (text === 'done' && !/^\p{L}+$/u.test(old.text)) return undefined
  const isWhole = old.kinds.includes('old:item') || old.kinds.includes('old:line')
  const covered = line.signs.find((sign) => sign.startsWith('covered:')) ?? ''
  return {
    after: isRemoval ? (isWhole ? '' : without(line.text, old)) : written(line.text, old, text),
    signs: [
      `unsaid:${text}`,
      `unsaid:${text} ${covered}`,
      `unsaid:${text} ${kind}`,
      ...(isOpposite ? ['opposite'] : []),
      ...(isOpposite && old.at >= 0 && /^\p{L}+$/u.test(old.text) ? ['opposite of said'] : []),
      ...(isRemoval && !isWhole && old.start === 0 ? ['removal of head'] : []),
      ...old.kinds.map((one) => `unsaid:${text} ${one}`),
      ...(isRemoval ? old.kinds.map((one) => `${kind} removal ${one}`) : []),
      ...(isRemoval
        ? verbs
            .filter((verb) => NOUNS.has(verb))
            .flatMap((noun) => old.kinds.map((one) => `removal ${noun} ${one}`))
        : []),
      ...(isRemoval && old.signs.includes('old-said') ? [`removal said ${kind}`] : []),
      ...(verbs.length === 0
        ? [`no-verb unsaid:${text}`]
        : verbs.map((verb) => `verb:${verb} unsaid:${text}`)),
    ],
  }
}

const written = (line: string, { start, end, text: old }: OldPart, text: string): string =>
  (line.slice(0, start) + like(old, '', text) + line.slice(end)).trim()

/** What joined it to the rest goes, too: `flush machine - LENT TO GARY`. A cell stays a cell. */
function without(line: string, { start, end, kinds }: OldPart): string {
  const [before, after] = [line.slice(0, start), line.slice(end)]
  if (kinds.includes('old:cell')) return (before + after).trim()
  if (after.trim() === '') return before.replace(/[\s,;:–—(-]+$/, '').replace(BARE, '')
  if (/^\s*[,;]/.test(after) && /[,;(["']\s*$/.test(before)) return before + after.replace(/^\s*[,;]\s*/, '')
  return (before.replace(/ $/, '') + (before.endsWith(' ') && !/^\s/.test(after) ? ' ' : '') + after).trim()
}

/** What is left of a list item whose text goes. */
const BARE = /^[-*•]?\s*(?:\[[ x]?\]?)?$/i

const VERBS =
  /\b(?:untick|uncheck|unmark|uncomment|comment out|tick|check|mark|remove|delete|drop|strike|cross|scratch|scrap|wipe|bin|kick|enable|disable|turn(?:ed)? on|turn(?:ed)? off|switch(?:ed)? on|switch(?:ed)? off|activate|deactivate|done|finished|sorted|sent|posted|paid|gone|stop|start|allow|no longer|not any ?more|clear|lose|get rid|bit|part|word|words|line|row|entry|item|on|off|yes|no|true|false)\b/gi

/** The words of these stand apart: "take Leo Bianchi off the list", "the line can come out". */
const APART: readonly (readonly [string, RegExp])[] = [
  ['take off', /\b(?:take|taken|pull|get|knock|cut|throw|chuck|leave)\b[^.;]{0,60}?\b(?:off|out|away)\b/i],
  [
    'come out',
    /\b(?:can|could|should|must|may|needs? to|has to|have to|to)\s+(?:come (?:out|off)|go(?! (?:to|from|up|down|in|on|back|with)\b))\b/i,
  ],
  ['bring back', /\b(?:bring|put|get|want)\b[^.;]{0,50}?\bback\b/i],
  ['turn off', /\b(?:turn|switch|shut)\b[^.;]{1,50}?\boff\b/i],
  ['turn on', /\b(?:turn|switch)\b[^.;]{1,50}?\bon\b/i],
]

const verbsIn = (clause: string): string[] => [
  ...new Set([
    ...(clause.match(VERBS) ?? []).map((verb) => verb.toLowerCase()),
    ...APART.filter(([, pattern]) => pattern.test(clause)).map(([verb]) => verb),
  ]),
]

/** "Take the plumber off the list" ticks nothing. */
const onlyRemoves = (verbs: readonly string[]): boolean =>
  verbs.length > 0 &&
  verbs.every((verb) => REMOVING.has(verb) || NOUNS.has(verb) || verb === 'off') &&
  verbs.some((verb) => REMOVING.has(verb))

/** What is to go. */
const NOUNS = new Set('bit|part|word|words|line|row|entry|item'.split('|'))

const REMOVING = new Set(
  'remove|delete|drop|strike|lose|clear|take off|come out|get rid|scrap|wipe|bin|kick|scratch|uncomment'.split(
    '|',
  ),
)

const OPPOSITE: Readonly<Record<string, string>> = {
  yes: 'no',
  no: 'yes',
  true: 'false',
  false: 'true',
  on: 'off',
  off: 'on',
  '[ ]': '[x]',
  '[x]': '[ ]',
}
