/**
 * Commands that everyone means by the same words: what git knows, what the machine is and has. They only look, but for those that store in
 * git. Must equal nano/facts.py. Pure.
 */
import { numbersOf } from '../request/spans.ts'

export type Fact = { readonly command: string; readonly name: string }

/** The facts a clause asks for, the most specific first. */
export function factsIn(clause: string): Fact[] {
  return FACTS.flatMap(({ name, asks, unless, command }) =>
    asks.test(clause) && !unless?.test(clause) ? [{ name, command: command(clause) }] : [],
  )
}

/** The command is for a fact that the clause asks for, and changes nothing. */
export const isAskedFact = (command: string, clause: string): boolean =>
  factsIn(clause).some((fact) => fact.command === command && !STORES.has(fact.name))

const STORES: ReadonlySet<string> = new Set(['add', 'commit'])

type Entry = {
  readonly name: string
  readonly asks: RegExp
  readonly unless?: RegExp
  readonly command: (clause: string) => string
}

const always =
  (command: string): Entry['command'] =>
  () =>
    command

/** A number of commits that a person would read. */
const MOST_COMMITS = 100

function gitLog(clause: string): string {
  const count = numbersOf(clause).find((number) => Number(number) > 0 && Number(number) <= MOST_COMMITS)
  if (count !== undefined) return `git log --oneline -${count}`
  return /\b(?:last|latest|newest|most recent) (?:git )?commit\b/i.test(clause)
    ? 'git log -1'
    : 'git log --oneline -20'
}

const COMMITS =
  /\bcommit\b[^.;]*?\b(?:with (?:the )?(?:commit )?message|message|msg|as|saying|called)\b\s*(?:is\b|[:,=]|that says\b)?\s*["“'`]?([^"”`\n]*[^\s"”'`.!?])/i

function gitCommit(clause: string): string {
  const [, message] = COMMITS.exec(clause) ?? []
  return message === undefined ? 'git commit' : `git commit -m "${message}"`
}

const CHANGED = String.raw`(?:changed|changes|modified|touched|edited|different|dirty|uncommitted|unstaged)`
const PROGRAMS =
  'node|npm|python3?|git|gcc|go|cargo|rustc|docker|java|ruby|php|make|pip3?|yarn|pnpm|bash|zsh|fish|R|cmake'

const versionOf = (clause: string): string => {
  const [, said = 'node'] = new RegExp(String.raw`\b(${PROGRAMS})(?:\.?js)?\b`, 'i').exec(clause) ?? []
  const program = said.toLowerCase() === 'python' ? 'python3' : said === 'R' ? said : said.toLowerCase()
  return program === 'go' ? 'go version' : program === 'java' ? 'java -version' : `${program} --version`
}

const FACTS: readonly Entry[] = [
  {
    name: 'names',
    asks: new RegExp(
      String.raw`\bgit diff\b.*\bnames?\b|\b${CHANGED}\b.*\b(?:names only|only (?:the )?(?:file )?names|just (?:the )?(?:file )?names)`,
      'i',
    ),
    command: always('git diff --name-only'),
  },
  {
    name: 'staged',
    asks: /\b(?:git|diff)\b.*\bstaged\b|\bstaged\b.*\b(?:diff|changes)\b/i,
    command: always('git diff --staged'),
  },
  {
    name: 'stat',
    asks: /\b(?:git )?diff ?stat\b|\bgit diff\b.*\b(?:summary|stat)\b/i,
    command: always('git diff --stat'),
  },
  {
    name: 'diff',
    asks: new RegExp(
      String.raw`\b(?:git )?diffs?\b|\bwhat\b.*\b${CHANGED}\b|\b(?:my|our|the|these|local) (?:uncommitted |unstaged |local )?changes\b`,
      'i',
    ),
    command: always('git diff'),
  },
  {
    name: 'status',
    asks: new RegExp(
      String.raw`\bgit stat\w*\b|\b(?:status of (?:the )?(?:repo|git|tree|working)|repo status|working tree|anything (?:to commit|uncommitted|unstaged)|${CHANGED} files|files .{0,20}${CHANGED}|uncommitted)\b`,
      'i',
    ),
    command: always('git status'),
  },
  {
    name: 'branch',
    asks: /\b(?:which|what|current|list|show|all)\b.{0,20}\bbranch(?:es)?\b|\bgit branch\b|\bbranch\b.{0,20}\b(?:am i|are we|we'?re|i'?m) on\b/i,
    command: (clause) =>
      /\b(?:branches|list|all)\b/i.test(clause) ? 'git branch' : 'git branch --show-current',
  },
  {
    name: 'log',
    asks: /\bgit (?:log|history)\b|\b(?:last|latest|recent|previous|newest|past)\b.{0,20}\bcommits?\b|\bcommit (?:log|history|messages)\b/i,
    unless: /\bsince\b/i,
    command: gitLog,
  },
  {
    name: 'add',
    asks: /\bgit add (?:everything|all|it all)\b|\bstage (?:everything|all)\b|\b(?:add|put) (?:everything|it all) (?:to|in) git\b/i,
    command: always('git add -A'),
  },
  {
    name: 'commit',
    asks: COMMITS,
    unless:
      /\bgit commit -|\b(?:last|latest|previous|my|his|her|their|our|the|a|an|this|that|\w+'s?) commit\b|\bcommit\b.*\b(?:msg|message|titled?) (?:was|said|says|reads?|read)\b/i,
    command: gitCommit,
  },
  {
    name: 'version',
    asks: new RegExp(
      String.raw`\b(?:${PROGRAMS})(?:\.?js)?\b.{0,24}\bver[si]\w*\b|\bver[si]\w*\b.{0,24}\b(?:${PROGRAMS})(?:\.?js)?\b|\b(?:which|what) (?:${PROGRAMS})\b.*\b(?:have|got|on|here|is|installed|running|machine|using)\b`,
      'i',
    ),
    unless:
      /\b(?:in|from|of|to)\s+(?:the\s+)?(?:package|pyproject|requirements|readme|config|docker-?file|[\w-]+\.\w+)|["“'`]|\bset\b|\bbump\b|\bchange\b|\bupgrade\b/i,
    command: versionOf,
  },
  {
    name: 'disk',
    asks: /\b(?:dis[ck]|drive|laptop|machine|server|box)\b.{0,30}\b(?:full|space|free|left|usage|room|place)\b|\b(?:full|space|free|left|usage|room|place)\b.{0,30}\b(?:dis[ck]|drive|machine|laptop|computer)\b|\bdf\b|\bhow much (?:free )?(?:space|room|dis[ck])\b/i,
    unless: /\b(?:folder|directory|project|repo|files?)\b/i,
    command: always('df -h'),
  },
  {
    name: 'size',
    asks: /\b(?:how (?:big|large|much (?:space|room|dis[ck]))|size of|disk usage of|total size)\b.*\b(?:folder|directory|project|repo|it all|everything|whole thing|this)\b/i,
    command: always('du -sh .'),
  },
  {
    name: 'memory',
    asks: /\b(?:free|how much|available|used)\b.{0,16}\b(?:memory|ram)\b|\b(?:memory|ram)\b.{0,16}\b(?:free|left|used|usage|available)\b/i,
    command: always('free -h'),
  },
  {
    name: 'date',
    asks: /\b(?:what|which|today'?s?|current|tell|give)\b.{0,24}\b(?:date|day|time)\b(?! (?:zone|out|stamp))(?!\w)/i,
    unless:
      /\b(?:in|of|from|for|on|at|does|do|did|is the|when|set|change|long|timeout|runtime)\b.{0,30}\b(?:\w+\.\w+|file|log|config|order|meeting|deadline|due|start|launch|release|appointment|lesson)\b|\bhow\b/i,
    command: always('date'),
  },
  {
    name: 'user',
    asks: /\bwho ?am ?i\b|\bwhich user\b|\bwhat user\b|\b(?:my )?user ?name\b.*\b(?:here|machine|logged)\b|\blogged in as\b/i,
    command: always('whoami'),
  },
  {
    name: 'folder',
    asks: /\b(?:pwd|where am i|which folder (?:am i|are we)|what folder (?:am i|are we)|current (?:folder|directory|dir|path))\b/i,
    command: always('pwd'),
  },
  {
    name: 'uptime',
    asks: /\buptime\b|\bhow long\b.*\b(?:machine|server|computer|box|laptop|pi)\b.*\b(?:up|running|on)\b/i,
    command: always('uptime'),
  },
  {
    name: 'system',
    asks: /\b(?:which|what)\b.{0,16}\b(?:os|operating system|kernel|linux)\b/i,
    command: always('uname -a'),
  },
  {
    name: 'processes',
    asks: /\b(?:running|list|all|show)\b.{0,12}\bprocesses\b|\bwhat(?:'s| is) running\b/i,
    command: always('ps aux'),
  },
]
