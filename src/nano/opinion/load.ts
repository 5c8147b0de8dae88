/** The stored opinions: JSON with tables as base64, and trees, packed with Brotli. Reads one file. */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { type Action, actionOpinion, type Opinion } from './action.ts'
import { type ContentAsk, contentCandidates } from '../contents/ranking.ts'
import { type EditAsk, rankEdits, type RankedEdit } from '../edits/ranking.ts'
import type { CommandAsk } from '../commands/ask.ts'
import { commandCandidates } from '../commands/ranking.ts'
import type { Further, FurtherAsk } from '../further/ask.ts'
import { furtherCandidates } from '../further/ranking.ts'
import type { LinearModel } from './linear.ts'
import { cutShares, partsAt, placesToCut } from './part-cuts.ts'
import type { PathProject } from '../paths/project.ts'
import { type PathAsk, pathCandidates } from '../paths/ranking.ts'
import { ranked, weigherOf } from './ranking.ts'
import { signsOf, type SignOptions } from './signs.ts'
import { type TargetAsk, targetCandidates } from '../paths/target-ranking.ts'
import { type SearchAsk, searchCandidates } from './text-ranking.ts'
import { type Grounds, trustCandidates } from './trust.ts'
import type { TreeModel } from './trees.ts'
import { type NanoSaid, verdictShares } from './verdict.ts'

/** Something that may be meant, and how likely it is. */
export type Likely<Value> = { readonly value: Value; readonly share: number }

export type LikelyContent = Likely<string> & { readonly said: string }

/** All of them give the likeliest first. */
export type Opinions = {
  /** Whether many writers use this word. */
  knows(word: string): boolean
  /** Which step a request, or a part of it, begins with. */
  action(request: string, options: Omit<SignOptions, 'known'>): Opinion
  /** The same after nano has spoken, too. */
  verdict(opinion: Opinion, said: NanoSaid): readonly Likely<Action>[]
  /** Which change of a line a clause asks for. */
  edits(ask: EditAsk): readonly RankedEdit[]
  /** Which existing path is meant. */
  paths(ask: PathAsk): readonly Likely<string>[]
  /** Where a copy or a move goes, what a new file or folder is called. */
  targets(ask: TargetAsk): readonly Likely<string>[]
  /** What a search looks for. */
  texts(ask: SearchAsk): readonly Likely<string>[]
  /** What is to be written, and the words of the clause that it is made of. */
  contents(ask: ContentAsk): readonly LikelyContent[]
  /** What is to be run. */
  commands(ask: CommandAsk): readonly Likely<string>[]
  /** The parts of a request, in the order in which they are to be done. */
  parts(request: string, project: Pick<PathProject, 'vocabulary'>): string[]
  /** What follows a step within the same part of a request. */
  further(ask: FurtherAsk): readonly Likely<Further>[]
  /** How likely a call is meant as it is. */
  trust(grounds: Grounds): number
}

export type StoredModel = {
  readonly labels: readonly string[]
  readonly step: number
  /** Of each sign its hash, 4 bytes, the lowest first. */
  readonly hashes: string
  /** Of each sign one byte for each label. */
  readonly weights: string
}

type Ranking = 'edits' | 'paths' | 'targets' | 'texts' | 'contents' | 'commands' | 'further' | 'trust'

/** Of a request, or of a place in it. */
type Classifier = 'actions' | 'cuts'

export type StoredOpinions = Readonly<Record<Ranking | Classifier, StoredModel>> & {
  readonly verdict: TreeModel
  /** Words that many writers use. */
  readonly words: readonly string[]
}

const unpack = promisify(brotliDecompress)

export const loadOpinions = async (path: string): Promise<Opinions> => createOpinions(await loadModels(path))

export async function loadModels(path: string): Promise<OpinionModels> {
  const text = await unpack(await readFile(path))
  const { words, actions, cuts, verdict, ...rankings } = JSON.parse(text.toString('utf8')) as StoredOpinions
  return {
    known: new Set(words),
    actions: toModel(actions),
    cuts: toModel(cuts),
    edits: toModel(rankings.edits),
    paths: toModel(rankings.paths),
    targets: toModel(rankings.targets),
    texts: toModel(rankings.texts),
    contents: toModel(rankings.contents),
    commands: toModel(rankings.commands),
    verdict,
    further: toModel(rankings.further),
    trust: toModel(rankings.trust),
  }
}

export type OpinionModels = Readonly<Record<Ranking | Classifier, LinearModel>> & {
  readonly verdict: TreeModel
  readonly known: ReadonlySet<string>
}

function createOpinions({ known, actions, cuts, verdict, ...rankings }: OpinionModels): Opinions {
  const edits = weigherOf(rankings.edits)
  const paths = weigherOf(rankings.paths)
  const targets = weigherOf(rankings.targets)
  const texts = weigherOf(rankings.texts)
  const contents = weigherOf(rankings.contents)
  const commands = weigherOf(rankings.commands)
  const further = weigherOf(rankings.further)
  const trust = weigherOf(rankings.trust)
  return {
    knows: (word) => known.has(word),
    action: (request, options) => actionOpinion(actions, signsOf(request, { ...options, known })),
    verdict: (opinion, said) =>
      verdictShares(verdict, opinion, said).map(({ action, share }) => ({ value: action, share })),
    edits: (ask) => rankEdits(ask, edits),
    paths: (ask) => ranked(pathCandidates(ask), paths).map(({ path, share }) => ({ value: path, share })),
    targets: (ask) =>
      ranked(targetCandidates(ask), targets).map(({ path, share }) => ({ value: path, share })),
    texts: (ask) => ranked(searchCandidates(ask), texts).map(({ text, share }) => ({ value: text, share })),
    contents: (ask) =>
      ranked(contentCandidates(ask), contents).map(({ content, said, share }) => ({
        value: content,
        said,
        share,
      })),
    commands: (ask) =>
      ranked(commandCandidates(ask), commands).map(({ command, share }) => ({ value: command, share })),
    further: (ask) =>
      ranked(furtherCandidates(ask), further).map(({ next, share }) => ({ value: next, share })),
    parts(request, { vocabulary }) {
      const places = placesToCut(request)
      return partsAt(request, places, cutShares(cuts, request, places, { project: vocabulary, known }))
    },
    trust: (grounds) => ranked(trustCandidates(grounds), trust).find(({ isRight }) => isRight)?.share ?? 0,
  }
}

function toModel({ labels, step, hashes, weights }: StoredModel): LinearModel {
  const bytes = Buffer.from(hashes, 'base64')
  const rows = new Map(
    Array.from({ length: bytes.length / 4 }, (_, row) => [bytes.readUInt32LE(4 * row), row]),
  )
  return { labels, step, rows, weights: new Int8Array(Buffer.from(weights, 'base64')) }
}

export function toStored({ labels, step, rows, weights }: LinearModel): StoredModel {
  const hashes = Buffer.alloc(4 * rows.size)
  for (const [hash, row] of rows) hashes.writeUInt32LE(hash, 4 * row)
  return {
    labels,
    step,
    hashes: hashes.toString('base64'),
    // Another process's weights are a part of a larger buffer.
    weights: Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength).toString('base64'),
  }
}
