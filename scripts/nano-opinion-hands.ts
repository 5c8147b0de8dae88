/** The requests by hand as the trained opinions learn from them: projects, and single steps with the words that ask for each. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { clausesOf } from '../src/nano/request/clauses.ts'
import { createPathProject, type PathProject } from '../src/nano/paths/project.ts'
import type { HandRow, Step } from './nano-hands-run.ts'
import { TEST_HANDS } from './nano-hands-split.ts'
import { type UnitPart, unitParts } from './nano-opinion-units.ts'

const HANDS = fileURLToPath(new URL('../nano/hands/', import.meta.url))

export type Writer = {
  readonly name: string
  readonly folder: Readonly<Record<string, string>>
  readonly rows: readonly HandRow[]
  /** The same requests in other people's words. */
  readonly said: readonly HandRow[]
  readonly project: PathProject
}

/** All but the test hands, which are never read. */
export const loadWriters = (): Writer[] =>
  readdirSync(HANDS)
    .filter((name) => existsSync(`${HANDS}${name}/folder.json`) && !TEST_HANDS.has(name))
    .map(loadWriter)

function loadWriter(name: string): Writer {
  const read = (file: string): string => readFileSync(`${HANDS}${name}/${file}`, 'utf8')
  const lines = (file: string): string[] =>
    existsSync(`${HANDS}${name}/${file}`) ? read(file).trim().split('\n') : []
  const folder = JSON.parse(read('folder.json')) as Writer['folder']
  const rows = lines('requests.jsonl').map((line) => JSON.parse(line) as HandRow)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const said = lines('said.jsonl').flatMap((line) => {
    const { id, request } = JSON.parse(line) as Pick<HandRow, 'id' | 'request'>
    const row = byId.get(id)
    return row ? [{ ...row, request }] : []
  })
  return {
    name,
    folder,
    rows,
    said,
    project: createPathProject(Object.keys(folder), new Map(Object.entries(folder))),
  }
}

/** One step of a request, with the words that ask for it. */
export type AskedStep = {
  readonly id: string
  readonly clause: string
  /** What it is a part of. */
  readonly request: string
  readonly step: Step
  /** Other readings of the same that are as right. */
  readonly also: readonly Step[]
  /** Paths of the steps before, the latest first. */
  readonly recent: readonly string[]
  /** The last command of the steps before. */
  readonly ran?: string
  readonly project: PathProject
}

/** A part of a request with the steps it asks for. */
export type Part = {
  readonly clause: string
  readonly steps: readonly Step[]
  /** How many come before it. */
  readonly from: number
  readonly isLast: boolean
}

/** Which steps belong to which part: by what is said of each, where that tells, else by the rules. */
export function partsOf(row: HandRow): Part[] {
  const parts = unitParts(row) ?? ruleParts(row)
  return parts.map(({ clause, steps }, at) => ({
    clause: parts.length === 1 ? row.request : clause,
    steps,
    from: parts.slice(0, at).flatMap((part) => part.steps).length,
    isLast: at === parts.length - 1,
  }))
}

/** One step for each clause, all for the only one, or each run of the same action for one; none where that is unclear. */
function ruleParts({ request, effect }: HandRow): UnitPart[] {
  const clauses = clausesOf(request)
  return groupsOf(effect, clauses.length).map((steps, at) => ({ clause: clauses[at] ?? '', steps }))
}

function groupsOf(effect: readonly Step[], count: number): (readonly Step[])[] {
  if (effect.length === 0) return []
  if (effect.length === 1 || count === 1) return [effect]
  if (count === effect.length) return effect.map((step) => [step])
  const runs = effect.reduce<Step[][]>((all, step) => {
    const last = all.at(-1)
    if (last?.at(-1)?.do === step.do) last.push(step)
    else all.push([step])
    return all
  }, [])
  return runs.length === count ? runs : []
}

/** The first step of each part; others of the same kind in it are as right, and so are other readings of a single one. */
export function stepsOf({ project }: Writer, rows: readonly HandRow[]): AskedStep[] {
  return rows.flatMap((row) =>
    partsOf(row).flatMap(({ clause, steps: [step, ...rest], from }) => {
      if (!step) return []
      const others =
        row.effect.length === 1
          ? row.also.flatMap(([other, ...more]) => (other && more.length === 0 ? [other] : []))
          : rest
      const also = others.filter((other) => other.do === step.do)
      const before = row.effect.slice(0, from)
      const ran = before.findLast((one) => one.do === 'run')?.['command']
      return [
        {
          id: row.id,
          clause,
          request: row.request,
          step,
          also,
          recent: recentOf(before),
          project,
          ...(typeof ran === 'string' && { ran }),
        },
      ]
    }),
  )
}

const recentOf = (steps: readonly Step[]): string[] =>
  steps
    .toReversed()
    .flatMap((step) => [step['to'], step['path'], step.do === 'copy' ? step['from'] : undefined])
    .filter((path) => typeof path === 'string')
