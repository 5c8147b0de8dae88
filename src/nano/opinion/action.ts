/** Which step a request begins with, in the opinion of a linear classifier, and which tools carry it out. Pure. */
import type { NanoCall } from '../steps/run.ts'
import { READS } from '../intent/mood.ts'
import { likelihoods, type LinearModel } from './linear.ts'

export const ACTIONS = [
  'append',
  'copy',
  'delete',
  'edit',
  'find',
  'list',
  'mkdir',
  'move',
  'no',
  'read',
  'run',
  'search',
  'write',
] as const

export type Action = (typeof ACTIONS)[number]

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

const LOOKS: ReadonlySet<string> = new Set(['find', 'list', 'read', 'search'])

export const isLook = (action: string): boolean => LOOKS.has(action)

/** One tool does both. */
export const isWriting = (action: string): boolean => action === 'write' || action === 'append'
