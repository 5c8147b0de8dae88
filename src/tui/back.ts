/**
 * `/back`, or Esc twice on an empty line: the conversation continues from before an earlier message, whose text comes back to
 * be changed. What followed stays in the session it was said in.
 */
import { plural } from '../lib/text.ts'
import { renderRestored } from '../lib/restored.ts'
import type { EarlierMessage } from '../protocol/back.ts'
import type { Talk } from './talk.ts'
import { oneLine } from './text.ts'
import type { CommandUi } from './ui.ts'

/** `argument` counts back: 1 is the last message. */
export async function goBack(ui: CommandUi, argument: string, talk: Talk): Promise<void> {
  const said = (await talk.back?.messages()) ?? []
  const newest = said.toReversed()
  if (newest.length === 0) return ui.face.say('There is no message to go back to yet.')
  const take = (index: number): Promise<void> => goBefore(ui, newest.slice(0, index + 1), talk)
  if (argument === '') {
    const items = newest.map((message, index) => ({ ...itemOf(message), value: String(index) }))
    return ui.pick('Go back to before', items, (index) => ui.attempt(() => take(Number(index))))
  }
  const wish = /^\d+$/.test(argument) ? Number(argument) : 0
  if (wish >= 1 && wish <= newest.length) return take(wish - 1)
  ui.face.say(
    `There is no message "${oneLine(argument)}"; 1 is the last one, ${newest.length} the first. /back lists them.`,
  )
}

const itemOf = ({ text, at, changed }: EarlierMessage) => ({
  label: oneLine(text) || '(an image)',
  description: [
    timeOf(at),
    ...(changed.length > 0 ? [`changed ${plural(changed.length, 'file')}`] : []),
  ].join(' · '),
})

const timeOf = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')

/** `since`: the message and those after it, newest first. */
async function goBefore(ui: CommandUi, since: readonly EarlierMessage[], talk: Talk): Promise<void> {
  const changing = since.filter(({ changed }) => changed.length > 0).map(({ runId }) => runId)
  const paths = [...new Set(since.flatMap(({ changed }) => changed))].toSorted()
  const go = (isRestoring: boolean): Promise<void> =>
    continueBefore(ui, since, { talk, paths, runIds: isRestoring ? changing : [] })
  if (paths.length === 0) return go(false)
  const names = paths.slice(0, 3).map(oneLine).join(', ') + (paths.length > 3 ? ', …' : '')
  const items = [
    { value: 'files', label: 'Restore the files, too', description: names },
    { value: 'conversation', label: 'Leave the files as they are' },
  ]
  const title = `${plural(paths.length, 'file')} changed since`
  ui.pick(title, items, (value) => ui.attempt(() => go(value === 'files')))
}

type Going = {
  readonly talk: Talk
  readonly paths: readonly string[]
  /** Runs to undo, newest first. */
  readonly runIds: readonly string[]
}

async function continueBefore(
  ui: CommandUi,
  since: readonly EarlierMessage[],
  { talk, paths, runIds }: Going,
): Promise<void> {
  const target = since.at(-1)
  if (!target) return
  // A message that was sent while the list was open has begun a run.
  await talk.back?.messages()
  const restored = (await talk.back?.restore(runIds)) ?? []
  const { id } = talk.session
  await ui.reopen({ before: target.runId })
  for (const one of restored) ui.face.say(renderRestored(one, 'Undid'))
  const kept = talk.isIncognito ? '' : `\nWhat followed is kept: /resume ${id}`
  ui.face.say(
    `Back to before the ${since.length === 1 ? 'last message' : `last ${since.length} messages`}.${kept}`,
  )
  const isWhole = restored.length > 0 && restored.every(({ conflicts }) => conflicts.length === 0)
  if (paths.length > 0 && !isWhole) await ui.talk?.session.command('exec-output', changedText(paths))
  ui.draft(target.text)
}

/** The model no longer knows of changes that are still there. */
const changedText = (paths: readonly string[]): string =>
  `The conversation continues from an earlier point. Files that were changed after it and may differ from what was read: ${paths.slice(0, 20).join(', ')}${paths.length > 20 ? ` and ${paths.length - 20} more` : ''}.`
