/** What a key does, outside of the box it is typed into. */
import { isKeyRelease, matchesKey } from '@mariozechner/pi-tui'
import { lifeOf } from '../view/life.ts'
import type { ConversationUi } from './ui.ts'
import { goBack } from './back.ts'
import { drawItem } from './items.ts'
import { stopProcess } from './lending.ts'
import { pastePicture } from './paste.ts'

/** A user who typed into the box so recently is still typing. */
const TYPING_MS = 700
const TWICE_MS = 2_000

const ESCAPE = '\u001B'

export type Keys = { take(data: string): void }

export function createKeys(ui: ConversationUi, now: () => number): Keys {
  let typedAt = -TYPING_MS
  const onSecondInterrupt = createTwice(ui, now)
  const onSecondEscape = createTwice(ui, now)
  const { face } = ui

  const interrupt = (): void => {
    if (face.input && !face.input.isEmpty) return face.input.setText('')
    if (isAtWork(ui)) return ui.cancel()
    onSecondInterrupt('Ctrl+C again ends the conversation', () => ui.quit())
  }

  const escape = (): void => {
    if (face.input?.leaveInsert()) return
    if (isAtWork(ui)) return ui.cancel()
    const { talk } = ui
    if (!talk?.back || !face.input?.isEmpty) return
    onSecondEscape('Esc again goes back to an earlier message', () => ui.attempt(() => goBack(ui, '', talk)))
  }

  const typeIntoBox = (data: string): void => {
    typedAt = matchesKey(data, 'enter') ? -TYPING_MS : now()
    face.input?.type(data)
  }

  return {
    take(data) {
      if (isKeyRelease(data)) return
      // Two keys that came together.
      if (data === ESCAPE + ESCAPE) return [ESCAPE, ESCAPE].forEach((one) => this.take(one))
      const isStillTyping = face.input?.isEmpty === false && now() - typedAt < TYPING_MS
      if (face.picker) face.picker.type(data)
      else if (matchesKey(data, 'ctrl+c')) interrupt()
      else if (matchesKey(data, 'ctrl+z')) stopProcess(ui)
      else if (face.question && !isStillTyping) answerWith(ui, data)
      else if (matchesKey(data, 'escape') && !face.input?.isCompleting) escape()
      else if (!special(ui, data)) typeIntoBox(data)
      face.redraw()
    },
  }
}

/** For keys that do something only when pressed again soon. */
function createTwice(ui: ConversationUi, now: () => number): (hint: string, act: () => void) => void {
  let pressedAt = -TWICE_MS
  return (hint, act) => {
    const isSecond = now() - pressedAt < TWICE_MS
    pressedAt = isSecond ? -TWICE_MS : now()
    ui.note(isSecond ? undefined : hint)
    if (isSecond) return act()
    setTimeout(() => ui.note(undefined), TWICE_MS).unref()
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
  if (matchesKey(data, 'ctrl+d') && face.input?.isEmpty) ui.quit()
  else if (matchesKey(data, 'ctrl+g')) void ui.editInput()
  else if (matchesKey(data, 'ctrl+v')) paste(ui)
  else if (matchesKey(data, 'ctrl+r')) searchHistory(ui)
  else if (matchesKey(data, 'ctrl+o')) expand(ui)
  else if (matchesKey(data, 'shift+tab')) nextMode(ui)
  else return false
  return true
}

function paste(ui: ConversationUi): void {
  const { talk } = ui
  if (talk?.shell) ui.attempt(() => pastePicture(ui, talk))
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
