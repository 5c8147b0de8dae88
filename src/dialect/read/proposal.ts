/**
 * Commands in the prose of a model that cannot call tools: `CMD:` lines, numbered lists of commands, a fenced shell
 * block. They become one proposal, shown to the person and run only on yes. A sentence that mentions a command proposes
 * nothing.
 */
import { isObject, readJson } from '../../lib/json.ts'
import type { Sink } from './sink.ts'

const MAX_COMMANDS = 20
/** A longer line is prose, or nothing a person could judge before a yes. */
const MAX_COMMAND = 1_000
const SHELLS = /^(?:sh|bash|shell|zsh|console|terminal|shell-session|powershell|cmd|bat)$/i
/** Programs whose name at the start of a line makes it a command rather than a sentence. */
const PROGRAMS = new Set(
  (
    'apt apt-get awk bash brew bun bundle cargo cat cd chmod chown cmake composer cp curl deno diff dig docker dotnet ' +
    'du echo env export find gcc gem gh git go gradle grep gunzip head helm hg java javac jq kill kubectl less ln ls ' +
    'make mkdir mv mvn mypy nano ng nix node npm npx nvm openssl patch perl php pip pip3 pnpm podman poetry printf ps ' +
    'psql pwd py pytest python python3 rails rake rg rm rmdir rsync ruby ruff rustc rustup scp sed sh sort source sqlite3 ' +
    'ssh stat sudo svn swift systemctl tail tar tee terraform test time top touch tree tsc tsx unzip uv vim vitest wc wget ' +
    'which xargs yarn zip zsh'
  ).split(' '),
)

/** One command out of the answer, several joined by `&&`; undefined when it proposes none. */
export function proposalIn(sink: Pick<Sink, 'answer' | 'calls'>): string | undefined {
  const { answer } = sink
  const marked = linesAfter(answer, /^[ \t]*CMD:[ \t]*(.+)$/gm).flatMap((line) => shellCommand(line) ?? [])
  if (marked.length > 0) return join(marked)
  if (sink.calls > 0 || answer === '') return undefined
  const fenced = shellBlock(answer)
  if (fenced.length > 0) return join(fenced)
  return join(numberedCommands(answer))
}

const join = (commands: readonly string[]): string | undefined =>
  commands.length === 0 || commands.length > MAX_COMMANDS ? undefined : commands.join(' && ')

const linesAfter = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)]
    .map((match) => (match[1] ?? '').trim().replace(/^`(.*)`$/, '$1'))
    .filter(Boolean)

/** `CMD: read_file {"path": "a"}` is a call of a tool, which no shell knows; only one that holds a command has one. */
function shellCommand(line: string): string | undefined {
  const call = /^[A-Za-z_]\w*\s*\(?\s*(\{\s*(?:"|\}).*?)\)?$/.exec(line)?.[1]
  if (call === undefined) return line
  const reading = readJson(call)
  const command = reading.ok && isObject(reading.value) ? reading.value['command'] : undefined
  return typeof command === 'string' && command.trim() !== '' ? command : undefined
}

/** The commands of the one block of an answer, if it is a shell's. Several blocks are alternatives or a tutorial. */
function shellBlock(answer: string): string[] {
  const blocks: { language: string; lines: string[] }[] = []
  let open = false
  for (const line of answer.split('\n')) {
    const fence = /^[ \t]*```[ \t]*([\w-]*)[ \t]*$/.exec(line)
    if (fence) {
      open = !open
      if (open) blocks.push({ language: fence[1] ?? '', lines: [] })
    } else if (open) blocks.at(-1)?.lines.push(line)
  }
  const [only, ...more] = blocks
  return only && more.length === 0 && !open && SHELLS.test(only.language) ? commandLines(only.lines) : []
}

/** Lines of a block as commands; nothing when any of them is no command. */
function commandLines(block: readonly string[]): string[] {
  const lines = block
    .map((line) => line.trim().replace(/^[$>%]\s+/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'))
  return lines.every(isCommand) ? lines : []
}

/** `1. npm install`, `2. Run the tests: `npm test``: every item of the list must be one command. */
function numberedCommands(answer: string): string[] {
  const items = [...answer.matchAll(/^[ \t]*\d{1,2}[.)][ \t]+(.+)$/gm)].map((match) =>
    (match[1] ?? '').trim(),
  )
  const commands = items.map(commandIn)
  return commands.length > 0 && commands.every((command) => command !== undefined) ? commands : []
}

function commandIn(item: string): string | undefined {
  if (item.length > MAX_COMMAND) return undefined
  const spans = [...item.matchAll(/`([^`]+)`/g)]
  const [span] = spans
  if (spans.length > 1) return undefined
  if (span) {
    const isLast = item.replace(/[.\s]+$/, '').endsWith(span[0])
    const command = (span[1] ?? '').replace(/^\$\s+/, '')
    return isLast && isCommand(command) ? command : undefined
  }
  return bareCommand(item) ?? bareCommand(item.replace(LABEL, ''))
}

/** `Install: npm ci`, `**Step 2** - npm test`: a few words that say what the command is for. */
const LABEL = /^(?:\*\*|__)?[A-Za-z][\w ,'/()-]{0,50}?(?:\*\*|__)?(?::(?:\*\*|__)?| [-–—]) +/

function bareCommand(text: string): string | undefined {
  const bare = text.replace(/^\$\s+/, '')
  return isCommand(bare) && !PROSE.test(bare) ? bare : undefined
}

/** Words that follow a program's name only where it is an ordinary word: `make sure`, `find out`, `go to`. */
const PROSE =
  /[.!?]$|\b(?:the|your|and then|to (?:see|check|make))\b|^\w+ (?:sure|that|this|it|an?|to|out|into|if|whether|how|why|what|for|is|are|of|with)\b/i

function isCommand(line: string): boolean {
  const [program = ''] = line.replace(/^(?:sudo|time|env(?:\s+\w+=\S+)*|\w+=\S+)\s+/, '').split(/\s/, 1)
  return PROGRAMS.has(program) || /^(?:\.{1,2}|~)?\/[\w./-]+$/.test(program)
}
