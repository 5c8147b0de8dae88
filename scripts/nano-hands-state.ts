/** What a folder contains after a step that is wanted, or a call that was made. Pure. */
import type { Made, Step } from './nano-hands-run.ts'

/** Text by path. */
export type State = ReadonlyMap<string, string>

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')
export const plain = (value: unknown): string => text(value).replace(/^\.\//, '').replace(/\/+$/, '') || '.'

/** The folder after a step of a label. */
export function wanted(state: State, step: Step): State {
  const path = plain(step['path'])
  const next = new Map(state)
  const content = state.get(path) ?? ''
  if (step.do === 'write') next.set(path, text(step['content']))
  if (step.do === 'append') next.set(path, appended(content, text(step['content'])))
  if (step.do === 'edit')
    next.set(path, edited(content, text(step['old']), text(step['new']), step['all'] === true))
  if (step.do === 'delete') without(next, path)
  if (step.do === 'copy' || step.do === 'move')
    transfer(next, plain(step['from']), plain(step['to']), step.do === 'copy')
  return next
}

/** The folder after a call. */
export function after(state: State, { name, input, ok, left }: Made): State {
  if (left) return new Map([...left].filter(([path]) => !path.endsWith('/')))
  if (!ok) return state
  const path = plain(input['path'])
  const next = new Map(state)
  const content = state.get(path) ?? ''
  if (name === 'write_file')
    next.set(
      path,
      input['append'] === true ? appended(content, text(input['content'])) : text(input['content']),
    )
  if (name === 'edit_file')
    next.set(path, edited(content, text(input['old']), text(input['new']), input['all'] === true))
  if (name === 'delete_file') without(next, path)
  if (name === 'copy_file' || name === 'move_file')
    transfer(next, plain(input['from']), plain(input['to']), name === 'copy_file')
  return next
}

const appended = (before: string, content: string): string =>
  before + (before === '' || before.endsWith('\n') ? '' : '\n') + content.replace(/\n$/, '') + '\n'

/** A line that is removed takes its line end along, whether the label says so or not. */
function edited(content: string, old: string, replacement: string, all: boolean): string {
  const line = `${old}\n`
  const isLine = replacement === '' && (content.startsWith(line) || content.includes(`\n${line}`))
  if (isLine && !all)
    return content.startsWith(line) ? content.slice(line.length) : content.replace(`\n${line}`, '\n')
  return all ? content.replaceAll(old, () => replacement) : content.replace(old, () => replacement)
}

function without(state: Map<string, string>, path: string): void {
  for (const name of state.keys()) if (name === path || name.startsWith(`${path}/`)) state.delete(name)
}

function transfer(state: Map<string, string>, from: string, to: string, keep: boolean): void {
  for (const [name, content] of Array.from(state)) {
    if (name !== from && !name.startsWith(`${from}/`)) continue
    if (!keep) state.delete(name)
    state.set(to + name.slice(from.length), content)
  }
}
