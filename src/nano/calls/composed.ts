/** A whole call of the likeliest arguments, where nano chose another action or none. Nothing is read, nothing is done. */
import type { Action } from '../opinion/action.ts'
import type { Likely, LikelyContent } from '../opinion/load.ts'
import { ROOT } from '../paths/signs.ts'
import { commandsFor, contentsFor, pathsFor, type RankingPlace, targetsFor, textsFor } from './likeliest.ts'
import { withoutRoot } from './ranked.ts'
import type { NanoCall } from '../steps/run.ts'

/** How likely an argument must be to be shown without nano's word for it. */
const SHOWN = 0.3

/** A call of this action, made of what is likeliest; nothing where that is not clear, or the action needs what only nano can point at. */
export function composedCall(action: Action, place: RankingPlace): NanoCall | undefined {
  const first = (likely: readonly Likely<string>[]): string | undefined =>
    (likely[0]?.share ?? 0) >= SHOWN ? likely[0]?.value : undefined
  if (action === 'read' || action === 'list' || action === 'delete') {
    const path = first(pathsFor(action, place.clause, place))
    const name = { read: 'read_file', list: 'list_files', delete: 'delete_file' }[action]
    return path === undefined ? undefined : { name, input: { path } }
  }
  if (action === 'copy' || action === 'move') {
    const from = first(pathsFor(action, place.clause, place))
    const to = from === undefined ? undefined : first(targetsFor(action, from, place))
    return from === undefined || to === undefined
      ? undefined
      : { name: `${action}_file`, input: { from, to } }
  }
  if (action === 'mkdir') {
    const path = first(targetsFor(action, '', place))
    return path === undefined ? undefined : { name: 'make_folder', input: { path } }
  }
  if (action === 'append' || action === 'write') return composedText(action, place)
  if (action === 'run') {
    const command = first(commandsFor(place))
    return command === undefined ? undefined : { name: 'run_command', input: { command } }
  }
  if (action !== 'search') return undefined
  const pattern = first(textsFor(place))
  const [scope] = pathsFor('scope', place.clause, place)
  return pattern === undefined
    ? undefined
    : withoutRoot({ name: 'search_text', input: { pattern, path: scope?.value ?? ROOT } })
}

/** What is written where: the words of the text name no file. */
function composedText(action: 'append' | 'write', place: RankingPlace): NanoCall | undefined {
  const { clause, project } = place
  const pathIn = (words: string): string | undefined => {
    const [best] = action === 'append' ? pathsFor('append', words, place) : targetsFor('write', '', place)
    return best && best.share >= SHOWN ? best.value : undefined
  }
  const contentIn = (path: string): LikelyContent | undefined => {
    const text = action === 'append' ? (project.texts.get(path) ?? '') : ''
    const [best] = contentsFor({ action, path, text }, place)
    return best && best.share >= SHOWN ? best : undefined
  }
  const first = pathIn(clause)
  const said = first === undefined ? undefined : contentIn(first)?.said
  const path = said === undefined || said === '' ? first : pathIn(clause.replace(said, ' … '))
  const content = path === undefined ? undefined : contentIn(path)
  if (path === undefined || !content) return undefined
  const input = { path, content: content.value }
  return { name: 'write_file', input: action === 'append' ? { ...input, append: true } : input }
}
