/**
 * Whether the bundled model could repair what rules do not: the line that a wrong quote meant, and the arguments of a call that cannot be
 * read. For each kind of slip: right, wrong and declined, by the rules in use, by the words two lines share, and by nano, asked only where the
 * rules gave up. Repeat with: npm run bench:repair [cases of each kind] [seed] [--rules]
 */
import { fileURLToPath } from 'node:url'
import { createNanoEngine, type NanoEngine } from '../src/nano/weights/engine.ts'
import { systemSegments, userSegments, noSources } from '../src/nano/weights/format.ts'
import { nanoGrammar } from '../src/nano/weights/grammar.ts'
import { readCall as readNano } from '../src/nano/decide.ts'
import { nanoTools, offers, signature } from '../src/nano/weights/tools.ts'
import { editText } from '../src/lib/edit-text.ts'
import { readArguments } from '../src/lib/read-call.ts'
import {
  type CallCase,
  callCases,
  createRandom,
  type EditCase,
  editCases,
  loadFiles,
} from './repair-cases.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const HANDS = ['golang', 'devops', 'dba', 'climate', 'hr', 'winegrower', 'mlengineer', 'historian']
const signal = new AbortController().signal

type Outcome = 'right' | 'wrong' | 'declined'

async function main(): Promise<void> {
  const isWithoutNano = process.argv.includes('--rules')
  const [each = 20, seed = 1] = process.argv.slice(2).map(Number).filter(Number.isFinite)
  const random = createRandom(seed)
  const engine = createNanoEngine({ path: `${ROOT}models/covey-nano.gguf` })
  const edits = editCases(loadFiles(ROOT, HANDS), each, random)
  console.log('missed old texts (right / wrong / declined)')
  const asked = { nano: (one: EditCase) => byNano(one, engine), both: (one: EditCase) => byBoth(one, engine) }
  await table(edits, ({ kind }) => kind, { rules: byRules, words: byWords, ...(isWithoutNano ? {} : asked) })
  console.log('\nbroken calls')
  const calls = callCases(ROOT, each, random)
  const askedCall = { nano: (one: CallCase) => callByNano(one, engine) }
  await table(calls, ({ slip }) => slip, { rules: callByRules, ...(isWithoutNano ? {} : askedCall) })
  await engine.close()
  process.exit(0)
}

type Ways<T> = Readonly<Record<string, (one: T) => Outcome | Promise<Outcome>>>

/** Every way but the first is asked only where the first declined. */
async function table<T>(cases: readonly T[], kindOf: (one: T) => string, ways: Ways<T>): Promise<void> {
  const [[, rules] = ['', (): Outcome => 'declined'], ...others] = Object.entries(ways)
  console.log(['kind'.padEnd(30), ...Object.keys(ways).map((name) => name.padEnd(14))].join(''))
  const counts = new Map<string, Record<Outcome, number>[]>()
  for (const one of cases) {
    const first = await rules(one)
    const outcomes = [first]
    for (const [, way] of others) outcomes.push(first === 'declined' ? await way(one) : first)
    for (const kind of [kindOf(one), 'all']) {
      const row = counts.get(kind) ?? outcomes.map(() => ({ right: 0, wrong: 0, declined: 0 }))
      counts.set(kind, row)
      for (const [index, outcome] of outcomes.entries()) addTo(row[index], outcome)
    }
  }
  for (const [kind, row] of counts)
    console.log(
      [
        kind.padEnd(30),
        ...row.map(({ right, wrong, declined }) => `${right}/${wrong}/${declined}`.padEnd(14)),
      ].join(''),
    )
}

function addTo(count: Record<Outcome, number> | undefined, outcome: Outcome): void {
  if (count) count[outcome]++
}

const judge = ({ wanted }: EditCase, text: string | undefined): Outcome => {
  if (text === undefined) return wanted === undefined ? 'right' : 'declined'
  return text === wanted ? 'right' : 'wrong'
}

function byRules(one: EditCase): Outcome {
  const edited = editText(one.text, one)
  // Where nothing may be changed, to decline is right; the other ways are to be tried on it, too.
  return edited.ok ? judge(one, edited.text) : 'declined'
}

const byWords = (one: EditCase): Outcome => judge(one, applied(one, lineByWords(one)))

const byNano = async (one: EditCase, engine: NanoEngine): Promise<Outcome> =>
  judge(one, applied(one, await lineByNano(one, engine)))

/** Only where both mean the same line. */
async function byBoth(one: EditCase, engine: NanoEngine): Promise<Outcome> {
  const line = lineByWords(one)
  return judge(
    one,
    applied(one, line !== undefined && line === (await lineByNano(one, engine)) ? line : undefined),
  )
}

type Pair = { readonly old: string; readonly new: string }

/** The one line that is to change. */
function pairOf({ old, new: replacement }: EditCase): Pair | undefined {
  const [before, after] = [old.split('\n'), replacement.split('\n')]
  const pairs = before.flatMap((line, index) =>
    line === after[index] ? [] : [{ old: line, new: after[index] ?? '' }],
  )
  return before.length === after.length && pairs.length === 1 ? pairs[0] : undefined
}

const tokensOf = (text: string): string[] => text.match(/\w+|[^\s\w]/g) ?? []
const wordsOf = (text: string): Set<string> => new Set(text.match(/\w{2,}/g) ?? [])

function similarity(one: string, other: string): number {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  const shared = [...a].filter((word) => b.has(word)).length
  return shared === 0 ? 0 : shared / (a.size + b.size - shared)
}

type Ranked = { readonly index: number; readonly score: number }

function rankedLines({ text, ...one }: EditCase): Ranked[] {
  const pair = pairOf({ text, ...one })
  if (!pair) return []
  return text
    .split('\n')
    .map((line, index) => ({ index, score: similarity(line, pair.old) }))
    .toSorted((a, b) => b.score - a.score)
}

const LEAST = 0.6
const MARGIN = 0.3

function lineByWords(one: EditCase): number | undefined {
  const [best, next] = rankedLines(one)
  if (!best || best.score < LEAST) return undefined
  return best.score - (next?.score ?? 0) >= MARGIN ? best.index : undefined
}

const SURE = 0.9
const MOST_LINES = 8

async function lineByNano(one: EditCase, engine: NanoEngine): Promise<number | undefined> {
  const pair = pairOf(one)
  const ranked = rankedLines(one)
    .filter(({ score }) => score > 0)
    .slice(0, MOST_LINES)
  if (!pair || ranked.length === 0) return undefined
  const all = one.text.split('\n')
  const lines = ranked.map(({ index }) => ({
    path: one.path,
    number: index + 1,
    text: (all[index] ?? '').trim().slice(0, 160),
  }))
  const request = `change "${pair.old.trim()}" to "${pair.new.trim()}" in ${one.path}`.slice(0, 1500)
  const choices = lines.map((_, index) => `"${index + 1}"`).join(' | ')
  const grammar = String.raw`root ::= "<tool_call>\n{\"name\": \"change_line\", \"arguments\": {\"line\": " (${choices}) "," | "<|form:refuse|>"`
  const tools = offers.write.flatMap((name) => nanoTools.get(name) ?? []).map(signature)
  const prompt = [
    ...systemSegments(tools),
    ...userSegments(request, { ...noSources, paths: [one.path], lines }),
  ]
  const reply = await engine.reply({ sessionId: 'repair', grammar, prompt: () => prompt }, signal)
  const chosen = /"line": (\d+)/.exec(reply?.text ?? '')?.[1]
  if (!reply || chosen === undefined || Math.min(1, ...reply.confidences) < SURE) return undefined
  return ranked[Number(chosen) - 1]?.index
}

/** What differs between the old and the new line, made to the line of the file: where its words stand alone, or at the same position. */
function applied(one: EditCase, at: number | undefined): string | undefined {
  const pair = pairOf(one)
  const lines = one.text.split('\n')
  const line = at === undefined ? undefined : lines[at]
  if (!pair || line === undefined || at === undefined) return undefined
  const [before, after, found] = [tokensOf(pair.old), tokensOf(pair.new), tokensOf(line)]
  const index = before.findIndex((token, position) => token !== after[position])
  const [from = '', to = ''] = [before[index], after[index]]
  if (
    before.length !== after.length ||
    before.some((token, position) => position !== index && token !== after[position])
  )
    return undefined
  const value =
    found.filter((token) => token === from).length === 1
      ? from
      : found.length === before.length
        ? found[index]
        : undefined
  if (value === undefined || line.split(value).length !== 2) return undefined
  lines[at] = line.replace(value, () => to)
  return lines.join('\n')
}

function callByRules({ input, wanted }: CallCase): Outcome {
  const reading = readArguments(input)
  if (!reading.ok || typeof reading.value !== 'object') return 'declined'
  return JSON.stringify(reading.value) === JSON.stringify(wanted) ? 'right' : 'wrong'
}

async function callByNano({ name, input, wanted }: CallCase, engine: NanoEngine): Promise<Outcome> {
  const tool = nanoTools.get(name)
  if (!tool) return 'declined'
  const request = `${name} ${input}`.slice(0, 2000)
  const grammar = nanoGrammar({ request, sources: noSources, tools: [tool], mustCall: true })
  const prompt = [...systemSegments([signature(tool)]), ...userSegments(request, noSources)]
  const reply = await engine.reply({ sessionId: 'repair', grammar, prompt: () => prompt }, signal)
  if (!reply || reply.isCut || Math.min(1, ...reply.confidences) < SURE) return 'declined'
  return JSON.stringify(readNano(reply.text)?.input) === JSON.stringify(wanted) ? 'right' : 'wrong'
}

await main()
