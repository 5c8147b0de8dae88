/** What was said before, as it was; and what a message brings with it. */
import { errorMessage } from '../protocol/error.ts'
import { viewOfHistory } from '../view/history.ts'
import { type Pane, wholeView } from './ui.ts'
import { drawItem } from './items.ts'
import type { Talk } from './talk.ts'
import { dim } from './theme.ts'
import { fit, oneLine } from './text.ts'

const PAST_ITEMS = 30

/** The end of the conversation. A copy of another session has no events of its own: its messages are shown. */
export async function showPast(face: Pane, talk: Talk, isVerbose: boolean): Promise<void> {
  const told = (await wholeView(talk, talk.lastEventId ?? 0)).items
  const items = told.some(({ kind }) => kind === 'prompt')
    ? told
    : viewOfHistory(await talk.session.history())
  const shown = items.slice(-PAST_ITEMS)
  if (items.length > shown.length) face.print([dim(`… ${items.length - shown.length} earlier entries`)])
  face.print(shown.flatMap((item) => drawItem(item, { width: face.width, isVerbose })))
}

/** Files named with @ go in front of the message; one that cannot is named, and the message goes without it. */
export async function mentionFiles(face: Pane, { mention, session }: Talk, line: string): Promise<void> {
  if (!mention) return
  for (const [, path = ''] of line.matchAll(/(?:^|\s)@([^\s]+)/g)) {
    try {
      const file = await mention(path)
      if (!file) continue
      await session.command('exec-output', file.text)
      const how = file.isOutline ? 'outline, ' : file.part === undefined ? '' : `${file.part}, `
      face.print([dim(fit(`@${oneLine(file.path)}: ${how}${file.tokens} tokens`, face.width))])
    } catch (error) {
      face.say(`covey: not attached: ${errorMessage(error)}`)
    }
  }
}
