/**
 * What the project has to do with a request: whether a file is named, whether one line answers it, whether its words are
 * known here at all. A question about the weather and one about the stock look alike but for this. Pure.
 */
import { fitOf, saidIn } from '../paths/fit.ts'
import { factsIn } from '../commands/facts.ts'
import { scriptFit } from '../commands/ranking.ts'
import { tellingWords } from '../edits/lines.ts'
import type { PathProject } from '../paths/project.ts'

const FIRST = /^\W*(?:(?:so|and|ok|okay|hey|well|hmm|hi|please|um|right)[\s,]+)*([a-z']+)/i
const FILE = /[\w./-]*\w\.[a-z]\w{0,4}\b/gi

export function evidenceSigns(request: string, project: PathProject): string[] {
  const said = saidIn(request)
  const fits = [...project.files, ...project.folders]
    .map((path) => fitOf(path, said).total)
    .toSorted((a, b) => b - a)
  const asked = [...tellingWords(request)]
  const known = asked.filter((word) =>
    [...project.words.values()].some(({ all, names }) => all.has(word) || names.has(word)),
  )
  const lines = bestLines(asked, project)
  const [fit = 0, next = 0] = fits
  const [line = 0, second = 0] = lines
  const spelled = (request.match(FILE) ?? []).map((name) => name.toLowerCase())
  const isThere = (name: string): boolean =>
    project.files.some((path) => `/${path.toLowerCase()}`.endsWith(`/${name}`))
  const first = FIRST.exec(request.toLowerCase())?.[1] ?? ''
  const opener = OPENERS.has(first) ? first : 'other'
  const kind = request.includes('?') || OPENERS.has(first) ? 'asks' : 'tells'
  const signs = [
    `fit:${bucket(fit, [0.01, 0.5, 0.9, 1.2, 1.6, 2.2, 3])}`,
    `fit-ahead:${bucket(fit - next, [0.01, 0.3, 0.6, 1])}`,
    `known:${asked.length === 0 ? 'none' : bucket(known.length / asked.length, [0.01, 0.3, 0.5, 0.7, 0.9, 1])}`,
    `line:${bucket(line, [0.01, 2, 3, 4, 6, 8])}`,
    `line-ahead:${bucket(line - second, [0.01, 0.5, 1.5])}`,
    `script:${bucket(scriptFit(request, project), [0.01, 0.4, 0.6, 0.99])}`,
    `fact:${factsIn(request)[0]?.name ?? 'none'}`,
  ]
  return [
    ...signs,
    ...signs.map((sign) => `${kind} ${sign}`),
    ...signs.map((sign) => `${opener} ${sign}`),
    `${kind} ${signs[0]} ${signs[3]}`,
    `${kind} ${signs[2]} ${signs[3]}`,
    `asked:${Math.min(8, asked.length)} ${signs[2]}`,
    `spelled:${spelled.some(isThere)} new:${spelled.some((name) => !isThere(name))}`,
  ].map((sign) => `project ${sign}`)
}

const OPENERS = new Set(
  "who whos who's what whats what's when where wheres where's which how hows why is are was were did does do has have can could would will should tell show".split(
    ' ',
  ),
)

/** Of the two best files, how rare the words of the request are that one line of it has. */
function bestLines(asked: readonly string[], project: PathProject): number[] {
  const scores = Array.from(project.words.values(), ({ all, lines, names }) => {
    const own = asked.filter((word) => all.has(word) && !names.has(word))
    if (own.length === 0) return 0
    return Math.max(
      ...lines.map((line) =>
        own.reduce((sum, word) => sum + (line.has(word) ? project.wordRarity(word) : 0), 0),
      ),
    )
  })
  return scores.toSorted((a, b) => b - a)
}

const bucket = (value: number, edges: readonly number[]): number =>
  edges.filter((edge) => value >= edge).length
