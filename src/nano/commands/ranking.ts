/** What speaks for each command that a clause may ask to run, for a log-linear model that was trained on the requests by hand. Pure. */
import { isSameRoot } from '../request/naming.ts'
import { stopWords } from '../request/words.ts'
import type { Command, CommandAsk } from './ask.ts'
import { commandsFor } from './candidates.ts'
import { fileCommands } from './files.ts'
import { projectCommands } from './scripts.ts'
import { FILLING, shapeOf } from './shape.ts'
import { wordAfter, wordBefore } from '../opinion/part.ts'
import type { PathProject } from '../paths/project.ts'
import { wordsIn } from '../opinion/tokens.ts'

export type CommandCandidate = { readonly command: string; readonly signs: readonly string[] }

export function commandCandidates(ask: CommandAsk): CommandCandidate[] {
  const facts = factsOf(ask, commandsFor(ask))
  const found = new Map<string, { readonly command: string; readonly signs: Set<string> }>()
  for (const command of facts.commands) {
    const key = plainCommand(command.command)
    const same = found.get(key)
    const signs = signsOf(command, facts)
    // What a page shows besides is known better from where it is defined.
    const more = command.source === 'page' ? [] : signs
    if (same) for (const sign of [...more, `twice:${command.source}`]) same.signs.add(sign)
    else found.set(key, { command: command.command, signs: new Set(signs) })
  }
  return Array.from(found.values(), ({ command, signs }) => ({ command, signs: [...signs] }))
}

/** How well the words name one of the scripts and files that run, from none of its label to all. */
export function scriptFit(clause: string, project: PathProject): number {
  const words = meantBy(clause)
  const pairs = pairsOf(clause)
  const scripts = [...projectCommands(project), ...fileCommands(project)]
  return scripts.reduce((best, command) => Math.max(best, labelled(command, words, pairs).share), 0)
}

const meantBy = (clause: string): string[] =>
  wordsIn(clause).flatMap((word) => [word, ...(MEANS.get(word) ?? [])])

const pairsOf = (clause: string): string[] =>
  wordsIn(clause).flatMap((word, at, all) => (at === 0 ? [] : [`${all[at - 1]}${word}`]))

/** A script of the shell is the same however it is started. */
export const plainCommand = (command: string): string =>
  command.trim().replace(/^(?:(?:sh|bash) (?:\.\/)?|\.\/)?(?=[\w./-]+\.sh\b)/, 'bash ')

type Facts = ReturnType<typeof factsOf>

function factsOf({ clause, recent }: CommandAsk, commands: readonly Command[]) {
  const words = meantBy(clause)
  const pairs = pairsOf(clause)
  const telling = [...new Set(wordsIn(clause))].filter((word) => !stopWords.has(word) && !FILLS.has(word))
  const scores = new Map(commands.map((command) => [command, labelled(command, words, pairs)]))
  const about = new Map(
    commands.map((command) => [command, telling.filter((word) => hasWord(command.about, word)).length]),
  )
  return {
    clause,
    recent,
    commands,
    telling,
    scores,
    about,
    best: Math.max(0, ...Array.from(scores.values(), ({ share }) => share)),
    mostAbout: Math.max(0, ...about.values()),
    isSpelled: commands.some(({ span }) => span !== undefined && span.end - span.start > 3),
    speaksOf: (['make', 'npm', 'script', 'target', 'git'] as const).filter((word) =>
      new RegExp(String.raw`\b${word}\b`, 'i').test(clause),
    ),
  }
}

/** Other words for what scripts are called by. */
const MEANS: ReadonlyMap<string, readonly string[]> = new Map(
  [
    'test tests spec specs suite suites tested testing pytest',
    'build compile compiled bundle rebuild building built compiling',
    'start launch serve boot dev server started starting',
    'dev develop development devserver start server watch',
    'lint linter linting style',
    'format formatter prettier fmt formatting pretty',
    'install dependencies deps packages installed',
    'clean cleanup wipe tidy cleaning clear purge',
    'eval evaluate evaluation evaluating',
    'train training',
    'coverage cov',
    'serve preview',
    'replay playback',
    'backup backups back saved snapshot',
    'deploy ship release publish deployment deploying live',
    'release ship publish releasing',
    'check verify validate checks checker checking validation sanity',
    'migrate migration migrations migrating',
    'seed seeding',
    'watch watcher',
    'docs documentation doc',
    'stats statistics stat',
    'report reports reporting summary',
    'links link',
    'typecheck types type tsc',
    'up bring',
    'down stop',
    'restart reload bounce',
    'bench benchmark benchmarks',
    'flash upload burn',
    'all everything',
    'sync synchronise synchronize',
    'images image pics pictures photos',
  ]
    .flatMap((line) => {
      const [label = '', ...words] = line.split(' ')
      return words.map((word) => [word, label] as const)
    })
    .reduce(
      (map, [word, label]) => map.set(word, [...(map.get(word) ?? []), label]),
      new Map<string, string[]>(),
    ),
)

/** Words of any order to run something. */
const FILLS = new Set(
  'please pls now again once quick quickly kick off fire go ahead execute start do script command let lets then first after next thanks'.split(
    ' ',
  ),
)

const hasWord = (words: ReadonlySet<string>, word: string): boolean =>
  words.has(word) || (word.length > 4 && (words.has(word.replace(/s$/, '')) || words.has(`${word}s`)))

type Labelled = {
  readonly share: number
  readonly said: number
  readonly unsaid: number
  readonly isExact: boolean
}

function labelled(
  { label }: Pick<Command, 'label'>,
  words: readonly string[],
  pairs: readonly string[],
): Labelled {
  const isSaid = (part: string): boolean =>
    words.some((word) => word === part || (part.length > 3 && isSameRoot(word, part))) || pairs.includes(part)
  const said = label.filter(isSaid).length
  return {
    said,
    unsaid: label.length - said,
    share: label.length === 0 ? 0 : said / label.length,
    isExact: label.length > 0 && label.every((part) => words.includes(part) || pairs.includes(part)),
  }
}

function signsOf(command: Command, facts: Facts): string[] {
  const { source } = command
  const general = [...labelSigns(command, facts), ...aboutSigns(command, facts)]
  const signs = [
    'any',
    ...general,
    ...(command.span ? spanSigns(command, command.span, facts) : []),
    ...fileSigns(command, facts),
    ...restSigns(command, facts),
    ...markSigns(command, facts),
    ...facts.speaksOf.map((word) => `speaks:${word} ${command.command.split(' ')[0] ?? ''}`),
    `spelled:${facts.isSpelled}`,
    `best:${level(facts.best)} ${facts.scores.get(command)?.share === facts.best}`,
  ]
  return [...general, ...pairSigns(command, facts), ...signs.map((sign) => `${source}|${sign}`)]
}

/** Which words go with which scripts. */
const pairSigns = ({ source, label }: Command, { telling }: Facts): string[] =>
  source === 'said' || source === 'page'
    ? []
    : label.flatMap((part) => telling.map((word) => `${source === 'fact' ? 'fact ' : ''}${part}~${word}`))

function labelSigns(command: Command, { scores, best }: Facts): string[] {
  const { share, said, unsaid, isExact } = scores.get(command) ?? NOTHING
  return [
    `label:${level(share)}`,
    `said:${Math.min(3, said)} unsaid:${Math.min(3, unsaid)}`,
    ...(isExact ? ['exact', `exact ${Math.min(3, said)}`] : []),
    ...(share > 0 && share === best ? ['top'] : []),
    ...(command.label.length === 1 ? [`called:${command.label[0]}`] : []),
  ]
}

const NOTHING: Labelled = { share: 0, said: 0, unsaid: 0, isExact: false }

function aboutSigns(command: Command, { about, mostAbout, telling, scores }: Facts): string[] {
  const shared = about.get(command) ?? 0
  const { label } = command
  const open = telling.filter(
    (word) =>
      !hasWord(command.about, word) &&
      !label.some((part) => isSameRoot(word, part)) &&
      !(MEANS.get(word) ?? []).some((one) => label.includes(one)),
  ).length
  return [
    `about:${Math.min(4, shared)}`,
    `about-top:${shared > 0 && shared === mostAbout}`,
    `about:${Math.min(3, shared)} label:${level(scores.get(command)?.share ?? 0)}`,
    `open:${Math.min(6, open)}`,
  ]
}

function spanSigns(
  { command, isKnown }: Command,
  { start, end }: NonNullable<Command['span']>,
  { clause }: Facts,
): string[] {
  const rest = clause.slice(end)
  const words = command.split(/\s+/)
  const next = wordAfter(clause, end)
  const isCut =
    rest.trim() === ''
      ? 'end'
      : /^["'`”’)]/.test(rest)
        ? 'quote'
        : /^[,;:.!?]\s/.test(rest)
          ? 'sign'
          : /^\s/.test(rest)
            ? 'word'
            : 'inside'
  const last = words.at(-1) ?? ''
  const program = words[0] ?? ''
  return [
    `before:${start === 0 ? '^' : wordBefore(clause, start)}`,
    `cut:${isCut}`,
    `cut:${isCut} ${program}`,
    `next:${isCut === 'word' ? next : ''}`,
    `last:${shapeOf(last)}`,
    `last:${shapeOf(last)} next:${isCut === 'word' ? shapeOf(next) : isCut}`,
    `next-shape:${isCut === 'word' ? shapeOf(next) : isCut}`,
    `words:${Math.min(6, words.length)} ${isCut}`,
    `program:${isKnown ? program : '?'}`,
    `two:${words.slice(0, 2).join(' ')}`,
    ...(words.slice(1).some((word) => FILLING.has(word.toLowerCase()))
      ? ['has-fill', `has-fill ${isCut}`]
      : []),
    ...(/["'`]$/.test(last) ? ['ends-quoted'] : []),
    ...((command.match(/["']/g)?.length ?? 0) % 2 === 1 ? ['half-quoted'] : []),
    ...(/["'`“]/.test(clause[start - 1] ?? '') ? [`opened:${isCut}`] : []),
  ]
}

/** What is known of it, by itself and with how well it is named. */
function markSigns({ marks = [], argument }: Command, { speaksOf, best }: Facts): string[] {
  const aliases = marks.filter((mark) => mark.startsWith('alias:'))
  const given = argument === undefined ? 'none' : 'some'
  return [
    ...marks.filter((mark) => !/^(?:takes|vars):/.test(mark)),
    ...marks.filter((mark) => /^(?:takes|vars|goes-on):/.test(mark)).map((mark) => `${mark} arg:${given}`),
    ...aliases.flatMap((mark) => [
      `${mark} best:${level(best)}`,
      ...speaksOf.map((word) => `${mark} speaks:${word}`),
    ]),
  ]
}

function fileSigns({ path }: Command, { clause, recent }: Facts): string[] {
  if (path === undefined) return []
  const name = path.slice(path.lastIndexOf('/') + 1)
  const folder = path.includes('/') ? (path.split('/')[0] ?? '') : '.'
  return [
    `folder:${folder}`,
    `ending:${name.slice(name.lastIndexOf('.'))}`,
    `spells:${clause.includes(name)}`,
    `recent:${recent.indexOf(path) === 0}`,
  ]
}

/** How much of what is said is left over, with the command and what it is given. */
function restSigns({ label, argument, about }: Command, { telling, speaksOf }: Facts): string[] {
  const covers = new Set(argument?.covers ?? [])
  const isTaken = (word: string): boolean =>
    covers.has(word) ||
    [...covers].some((one) => isSameRoot(one, word)) ||
    label.some((part) => isSameRoot(word, part)) ||
    (MEANS.get(word) ?? []).some((one) => label.includes(one))
  const rest = telling.filter((word) => !isTaken(word))
  const kind = argument === undefined ? 'none' : argument.kind
  const marked = rest.filter((word) => /\d/.test(word)).length
  return [
    `rest:${Math.min(5, rest.length)}`,
    `rest:${Math.min(3, rest.length)} arg:${kind === 'none' ? 'none' : 'some'}`,
    `rest-unknown:${Math.min(4, rest.filter((word) => !hasWord(about, word)).length)}`,
    `rest-number:${marked > 0} arg:${kind}`,
    `arg-kind:${kind}`,
    ...speaksOf.map((word) => `speaks:${word} arg:${kind === 'none' ? 'none' : 'some'}`),
  ]
}

const LEVELS = [0.01, 0.3, 0.45, 0.6, 0.75, 0.99]
const level = (share: number): number => LEVELS.filter((least) => share >= least).length
