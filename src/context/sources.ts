/** What is built in to contribute to the context, and how contributions are gathered. */
import type { Source } from '../protocol/source.ts'

/** One contribution: whose it is and what it says. */
export type Section = { readonly name: string; readonly text: string }

export async function gatherSections(
  sources: readonly Source[],
  place: Source['place'],
  prompt: string,
): Promise<Section[]> {
  const chosen = sources.filter((source) => source.place === place)
  const texts = await Promise.all(chosen.map((source) => source.contribute(prompt)))
  const sections = chosen.map(({ name }, index) => ({ name, text: texts[index]?.trim() ?? '' }))
  // CLAUDE.md is often a link to AGENTS.md.
  return sections.filter(
    ({ text }, index) => text !== '' && sections.findIndex((other) => other.text === text) === index,
  )
}

/** The text of a file of the project; nothing when it does not exist or cannot be read. */
export type ReadText = (path: string) => Promise<string | undefined>

const NOTES = ['AGENTS.md', 'CLAUDE.md', '.covey/notes.md']

/** What the project says about itself: every file that exists. */
export const noteSources = (read: ReadText): Source[] =>
  NOTES.map((path) => ({ name: path, place: 'frozen', contribute: () => read(path) }))

/** The same words in every session. */
export const frozenSource = (name: string, text: string): Source => ({
  name,
  place: 'frozen',
  contribute: async () => text,
})

/** Told with the first prompt only. */
export function onceSource(name: string, text: string): Source {
  let waiting: string | undefined = text
  return {
    name,
    place: 'run',
    async contribute() {
      const told = waiting
      waiting = undefined
      return told
    },
  }
}

/** One line on when and where; what cannot be known is left out. */
export const situationSource = (read: ReadText, now: () => Date): Source => ({
  name: 'situation',
  place: 'run',
  async contribute() {
    const branch = /^ref: refs\/heads\/(\S+)/.exec((await read('.git/HEAD')) ?? '')?.[1]
    return `[${[localDate(now()), ...(branch ? [`branch ${branch}`] : [])].join(', ')}]`
  },
})

const localDate = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => `${part}`.padStart(2, '0'))
    .join('-')
