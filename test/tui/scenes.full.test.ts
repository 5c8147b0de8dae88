/**
 * The screen after each key, at four sizes, on a real pty. Each is waited for until it is as recorded in `screens/`; record
 * anew with COVEY_RECORD_SCREENS=1 and read the difference.
 */
import { expect, test } from 'vitest'
import { type Scene, scenes } from './scenes.ts'
import { comparable, readScreens, writeScreens } from './screens.ts'
import { ready } from './terminal.ts'

const sizes = [
  [120, 36],
  [80, 24],
  [40, 30],
  [20, 10],
] as const

const IS_RECORDING = process.env['COVEY_RECORD_SCREENS'] !== undefined

const files = {
  'src/sum.ts': 'export const sum = (a: number, b: number) => a - b\n',
  'test.js': '',
}

test.each(sizes)('%i x %i: every screen is as recorded', async (columns, rows) => {
  const size = `${columns}x${rows}`
  const recorded = readScreens(size)
  const seen = new Map<string, string>()
  const replies = scenes.flatMap((scene) => scene.replies ?? [])
  const screen = await ready({ replies, files, size: [columns, rows], flags: ['-p', 'ask'] })

  for (const scene of scenes) {
    screen.type(scene.keys)
    const expected = IS_RECORDING ? undefined : recorded.get(scene.name)
    const shown = await settled(screen, scene, { rows, expected })
    seen.set(scene.name, shown)
    if (!IS_RECORDING) expect(shown, scene.name).toBe(expected)
  }

  if (IS_RECORDING) writeScreens(size, seen)
  expect(screen.bytes()).not.toMatch(/\u001B\[[23]J/)
})

type Screen = Awaited<ReturnType<typeof ready>>

const PATIENCE_MS = 20_000
const QUIET_MS = 350

/**
 * As recorded. While recording: what is on the screen when it shows what it should and changes no more, or when it has not
 * changed for long (the smallest screen does not show all of it). The last lines of all that was written: how far the
 * terminal has scrolled depends on how long the live part was in between.
 */
async function settled(
  screen: Screen,
  { sees }: Scene,
  { rows, expected }: { readonly rows: number; readonly expected: string | undefined },
): Promise<string> {
  const deadline = Date.now() + PATIENCE_MS
  let last = ''
  let since = Date.now()
  for (;;) {
    const shown = await screen.now()
    const text = comparable(shown.split('\n').slice(-rows).join('\n'))
    if (text === expected || Date.now() > deadline) return text
    if (text !== last) since = Date.now()
    last = text
    const quietMs = Date.now() - since
    if (expected === undefined && quietMs > (sees.test(shown) ? QUIET_MS : 5 * QUIET_MS)) return text
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
