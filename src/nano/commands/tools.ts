/** Programs that look at a file or a folder, where the clause says which program or what is to be counted, and names the file in words. Pure. */
import type { Command, CommandAsk } from './ask.ts'
import { type Given, givenIn } from './given.ts'
import { nextShape } from './shape.ts'
import { wordsIn } from '../opinion/tokens.ts'

const NONE: ReadonlySet<string> = new Set()

/** A program with its flags, without what it works on. */
type Tool = { readonly start: string; readonly isSaid: boolean }

const SPELLED =
  /(?<![\w./-])(?:(?:wc|du|head|tail|sort|ls|cat|df|file|stat|php|bash|sh|node|xmllint|luacheck|shellcheck|jq|md5sum|sha256sum|diff)(?:\s+-{1,2}\w[\w-]*(?:\s+\d+)?)+|(?:wc|du|luacheck|shellcheck|md5sum|sha256sum)|git (?:add|diff|log|blame)|python3 -m (?:pytest|unittest)|pytest(?:\s+-\w)*)(?![\w./-])/gi

const MEANT: readonly { readonly says: RegExp; readonly start: string }[] = [
  {
    says: /\bhow many (?:lines?|rows?|entries|records|lines? of code)\b|\b(?:line|row)[- ]?counts?\b|\bcount\b.{0,16}\b(?:lines?|rows?)\b|\bnumber of (?:lines|rows)\b|\blines? (?:are )?in\b/i,
    start: 'wc -l',
  },
  {
    says: /\bword[- ]?counts?\b|\bhow many words\b|\bcount\b.{0,16}\bwords?\b|\bnumber of words\b/i,
    start: 'wc -w',
  },
  {
    says: /\bhow (?:big|large|heavy|much space)\b|\bsize of\b|\bdisk usage\b|\bspace\b.{0,24}\btakes?\b|\btakes? up\b/i,
    start: 'du -sh',
  },
  { says: /\b(?:newest|latest|most recent|by date|by time)\b/i, start: 'ls -lt' },
]

export function toolsFor(ask: CommandAsk): Command[] {
  const { clause, project } = ask
  const tools = toolsIn(clause)
  if (tools.length === 0) return []
  return tools.flatMap((tool) => {
    const given = givenIn(ask, new Set(wordsIn(tool.start))).filter(({ kind }) => WORKED_ON.has(kind))
    const globs = project.folders.flatMap((folder) => globsOf(folder, given, ask))
    const whole = /^(?:du|ls)\b/.test(tool.start) ? [WHOLE] : []
    return [...given, ...globs, ...whole].map((one) => commandOf(tool, one))
  })
}

const WORKED_ON = new Set(['path', 'folder', 'recent'])
const WHOLE: Given = { text: '.', kind: 'folder', at: -1, signs: ['whole'] }

function toolsIn(clause: string): Tool[] {
  const said = Array.from(clause.matchAll(SPELLED))
    // What it works on is spelled, too.
    .filter(({ 0: start, index }) => nextShape(clause.slice(index + start.length)) !== 'path')
    .flatMap(({ 0: start }) => spelledAs(start.replaceAll(/\s+/g, ' ').toLowerCase()))
    .map((start) => ({ start, isSaid: true }))
  const meant = MEANT.filter(({ says }) => says.test(clause)).map(({ start }) => ({ start, isSaid: false }))
  const all = [...said, ...meant.filter(({ start }) => !said.some((one) => one.start === start))]
  return all.slice(0, MOST_TOOLS)
}

const MOST_TOOLS = 3

const spelledAs = (start: string): string[] =>
  start.startsWith('pytest') ? [start, `python3 -m ${start}`] : [start]

/** All files of one kind in a folder that is named. */
function globsOf(folder: string, given: readonly Given[], { project }: CommandAsk): Given[] {
  const isNamed = given.some(({ kind, text }) => kind === 'folder' && `${text}/` === folder)
  const inside = project.files.filter(
    (path) => path.startsWith(folder) && !path.slice(folder.length).includes('/'),
  )
  const endings = [...new Set(inside.flatMap((path) => /\.\w+$/.exec(path)?.[0] ?? []))]
  return isNamed && endings.length === 1 && inside.length > 1
    ? [{ text: `${folder}*${endings[0]}`, kind: 'folder', at: -1, signs: ['glob'] }]
    : []
}

function commandOf({ start, isSaid }: Tool, { text, kind, signs }: Given): Command {
  const [program = ''] = start.split(' ')
  return {
    command: `${start} ${text}`,
    source: 'tool',
    label: [program],
    about: NONE,
    argument: { kind, covers: wordsIn(text) },
    marks: [
      `tool:${program} ${kind}`,
      `tool:${start} said:${isSaid}`,
      `tool said:${isSaid} ${kind}`,
      ...signs.flatMap((sign) => [`${kind} ${sign}`, `${program} ${kind} ${sign}`]),
    ],
  }
}
