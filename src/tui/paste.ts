/** Ctrl+V and `/paste`: a picture from the clipboard, named in the message. */
import { savePicture } from './clipboard.ts'
import type { Talk } from './talk.ts'
import type { CommandUi } from './ui.ts'

export const pasteCommand = {
  name: 'paste',
  help: 'put a picture from the clipboard into the message (Ctrl+V)',
  isThere: ({ shell }: Talk) => shell !== undefined,
  run: (ui: CommandUi, _: string, talk: Talk) => pastePicture(ui, talk),
}

export async function pastePicture(ui: CommandUi, { cwd, isIncognito }: Talk): Promise<void> {
  if (isIncognito)
    return ui.face.say(
      'A pasted picture would be kept as a file. Write [Image: path] with a file that is there.',
    )
  ui.insert(`[Image: ${await savePicture(cwd)}] `)
}
