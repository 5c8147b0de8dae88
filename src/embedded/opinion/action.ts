/**
 * Which step a request begins with, in the opinion of a linear classifier, and whether that outweighs what nano said. The two are
 * taken as independent witnesses: what both find unlikely is not done, what one is sure of and the other not is asked for. Pure.
 */
import type { NanoCall } from '../nano/run.ts'
import { READS } from '../nano/mood.ts'
import { likelihoods, type LinearModel } from './linear.ts'

export type Action =
  | 'append'
  | 'copy'
  | 'delete'
  | 'edit'
  | 'find'
  | 'list'
  | 'mkdir'
  | 'move'
  | 'no'
  | 'read'
  | 'run'
  | 'search'
  | 'write'

/** How likely each action is. */
export type Opinion = ReadonlyMap<string, number>

export function actionOpinion(model: LinearModel, signs: ReadonlySet<string>): Opinion {
  const shares = likelihoods(model, signs)
  return new Map(model.labels.map((label, at) => [label, shares[at] ?? 0]))
}

/** The tools that carry an action out. */
export const toolsOf: Readonly<Record<Exclude<Action, 'no'>, readonly string[]>> = {
  append: ['write_file'],
  copy: ['copy_file'],
  delete: ['delete_file'],
  edit: ['edit_file', 'change_line'],
  find: ['find_files'],
  list: ['list_files'],
  mkdir: ['make_folder'],
  move: ['move_file'],
  read: ['read_file'],
  run: ['run_command'],
  search: ['search_text'],
  write: ['write_file'],
}

/** Nothing for a call of a tool the requests by hand have no word for. */
export function actionOf(call: NanoCall | undefined): Action | undefined {
  if (!call) return 'no'
  const { name, input } = call
  if (name === 'write_file') return input['append'] === true ? 'append' : 'write'
  if (name === 'run_command' && READS.test(String(input['command']))) return undefined
  if (name === 'data_view') return 'read'
  const found = Object.entries(toolsOf).find(([, names]) => names.includes(name))
  return found?.[0] as Action | undefined
}

/** The smallest share an action can have. */
const FLOOR = 0.001
/** The largest confidence that counts. */
const SUREST = 0.995

/** The action to take instead of nano's, of which nano was that sure; nothing where nano's stands. */
export function overruling(opinion: Opinion, mine: Action, sure: number): Action | undefined {
  const [best, share] = [...opinion].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0] as const)
  const isOther = best !== '' && best !== mine && !(isWriting(best) && isWriting(mine))
  const odds = share / ((opinion.get(mine) ?? 0) + FLOOR)
  const against = Math.min(sure, SUREST) / (1 - Math.min(sure, SUREST))
  return isOther && odds > against ? (best as Action) : undefined
}

/** One tool does both. */
const isWriting = (action: string): boolean => action === 'write' || action === 'append'
