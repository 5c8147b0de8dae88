/** The requests by hand as the trained opinions learn from them: projects, and single steps with the words that ask for each. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { clausesOf } from '../src/embedded/nano/clauses.ts'
import { createPathProject, type PathProject } from '../src/embedded/opinion/path-project.ts'
import type { HandRow, Step } from './nano-hands-run.ts'
import { TEST_HANDS } from './nano-hands-split.ts'

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
  readonly step: Step
  /** Other readings of the same that are as right. */
  readonly also: readonly Step[]
  /** Paths of the steps before, the latest first. */
  readonly recent: readonly string[]
  readonly project: PathProject
}

/** A chain counts where it has as many clauses as steps. */
export function stepsOf({ project }: Writer, rows: readonly HandRow[]): AskedStep[] {
  return rows.flatMap(({ id, request, effect, also }) => {
    const clauses = clausesOf(request)
    const isOne = effect.length === 1
    if (!isOne && clauses.length !== effect.length) return []
    return effect.map((step, at) => ({
      id,
      clause: isOne ? request : (clauses[at] ?? ''),
      step,
      also: isOne
        ? also.flatMap(([other, ...rest]) => (other?.do === step.do && rest.length === 0 ? [other] : []))
        : [],
      recent: recentOf(effect.slice(0, at)),
      project,
    }))
  })
}

const recentOf = (steps: readonly Step[]): string[] =>
  steps
    .toReversed()
    .flatMap((step) => [step['to'], step['path'], step.do === 'copy' ? step['from'] : undefined])
    .filter((path) => typeof path === 'string')
