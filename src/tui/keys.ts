/** What a key does, outside of the box it is typed into. */
import { isKeyRelease, matchesKey } from '@mariozechner/pi-tui'
import { lifeOf } from '../view/life.ts'
import type { ConversationUi } from './ui.ts'
import { drawItem } from './items.ts'

/** A user who typed into the box so recently is still typing. */
const TYPING_MS = 700
const TWICE_MS = 2_000

export type Keys = { take(data: string): void }

export function createKeys(ui: ConversationUi, now: () => number): Keys {
  let typedAt = -TYPING_MS
  let quitAt = -TWICE_MS
  const { face } = ui

  const interrupt = (): void => {
    if (face.input && !face.input.isEmpty) return face.input.setText('')
    if (isAtWork(ui)) return ui.cancel()
    if (now() - quitAt < TWICE_MS) return ui.quit()
    quitAt = now()
    ui.note('Ctrl+C again ends the conversation')
    setTimeout(() => ui.note(undefined), TWICE_MS).unref()
  }

  const typeIntoBox = (data: string): void => {
    typedAt = matchesKey(data, 'enter') ? -TYPING_MS : now()
    face.input?.type(data)
  }

  return {
    take(data) {
      if (isKeyRelease(data)) return
      const isStillTyping = face.input?.isEmpty === false && now() - typedAt < TYPING_MS
      if (face.picker) face.picker.type(data)
      else if (matchesKey(data, 'ctrl+c')) interrupt()
      else if (matchesKey(data, 'ctrl+z')) ui.stopProcess()
      else if (face.question && !isStillTyping) answerWith(ui, data)
      else if (!special(ui, data)) typeIntoBox(data)
      face.redraw()
    },
  }
}

const isAtWork = ({ face }: ConversationUi): boolean =>
  face.doing?.stop !== undefined || lifeOf(face.view).kind !== 'idle'

function answerWith(ui: ConversationUi, data: string): void {
  const { question } = ui.face
  if (!question) return
  if (!matchesKey(data, 'escape')) return question.type(data)
  if (question.escape()) return
  if (!question.deny()) ui.cancel()
}

/** True when the key is not for the box. */
function special(ui: ConversationUi, data: string): boolean {
  const { face } = ui
  if (matchesKey(data, 'escape') && !face.input?.isCompleting) {
    if (isAtWork(ui)) ui.cancel()
    return true
  }
  if (matchesKey(data, 'ctrl+d') && face.input?.isEmpty) ui.quit()
  else if (matchesKey(data, 'ctrl+g')) void ui.editInput()
  else if (matchesKey(data, 'ctrl+r')) searchHistory(ui)
  else if (matchesKey(data, 'ctrl+o')) expand(ui)
  else if (matchesKey(data, 'shift+tab')) nextMode(ui)
  else return false
  return true
}

function searchHistory(ui: ConversationUi): void {
  const items = [...new Set(ui.prompts.toReversed())].map((prompt) => ({
    value: prompt,
    label: prompt.replaceAll(/\s+/g, ' '),
  }))
  if (items.length > 0) ui.pick('Earlier messages', items, (prompt) => ui.face.input?.setText(prompt))
}

function expand({ face }: ConversationUi): void {
  face.isExpanded = !face.isExpanded
  if (!face.isExpanded || face.view.run) return
  face.print(face.folded.flatMap((item) => drawItem(item, { width: face.width, isExpanded: true })))
  face.isExpanded = false
}

function nextMode({ face, talk }: ConversationUi): void {
  const modes = talk?.modes
  if (!modes) return
  const all = modes.list()
  modes.use(all[(all.indexOf(modes.current()) + 1) % all.length] ?? modes.current())
  face.redraw()
}
