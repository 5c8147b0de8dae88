/** What a model reads after calling a tool that does not exist: the one it meant, or what there is. */
import { nearest } from '../lib/nearest.ts'
import { clip } from '../lib/text.ts'

const MOST_NAMES = 20
/** Servers take no name longer than this; a model that babbles writes one. */
const LONGEST_NAME = 64

export function unknownTool(written: string, names: readonly string[]): string {
  const name = clip(written, LONGEST_NAME)
  const meant = nearest(name, names)
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : ''
  const list =
    names.length === 0
      ? 'There are no tools: answer in words.'
      : `Tools: ${names.slice(0, MOST_NAMES).join(', ')}${more}.`
  return [`There is no tool "${name}".`, meant && `Did you mean ${meant}?`, list].filter(Boolean).join(' ')
}
