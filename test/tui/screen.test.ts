/** The lower end of the terminal against a real screen model: any frames, any sizes, and only the bytes that are needed. */
import * as fc from 'fast-check'
import xterm from '@xterm/headless'
import { expect, test } from 'vitest'
import { Screen } from '../../src/tui/screen.ts'
import { runs } from '../support/runs.ts'

const COLUMNS = 20
const ROWS = 8

function open(columns = COLUMNS, rows = ROWS) {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 1000, allowProposedApi: true })
  let bytes = ''
  const surface = {
    columns,
    rows,
    write(text: string) {
      bytes += text
    },
  }
  const screen = new Screen(surface)
  return {
    surface,
    terminal,
    screen,
    /** What the last frames wrote; the terminal has drawn it. */
    async flush(): Promise<string> {
      const written = bytes
      bytes = ''
      await new Promise<void>((resolve) => terminal.write(written, resolve))
      return written
    },
    lines(): readonly string[] {
      const { active } = terminal.buffer
      const all = Array.from(
        { length: active.length },
        (_, at) => active.getLine(at)?.translateToString(true) ?? '',
      )
      while (all.at(-1) === '') all.pop()
      return all
    },
  }
}

const line = fc
  .string({ unit: fc.constantFrom('a', 'b', ' ', '漢', 'é'), minLength: 1, maxLength: 9 })
  .map((text) => `|${text}|`)

const frames = fc.array(
  fc.record({
    finished: fc.array(line, { maxLength: 4 }),
    live: fc.array(line, { minLength: 1, maxLength: ROWS }),
  }),
  { maxLength: 12 },
)

test('after any frames: what is finished in order, then the live part, nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(frames, async (drawn) => {
      const { screen, flush, lines, terminal } = open()
      const finished: string[] = []
      let live: readonly string[] = []

      for (const frame of drawn) {
        screen.draw(frame)
        finished.push(...frame.finished)
        live = frame.live
        await flush()
      }

      expect(lines()).toEqual([...finished, ...live])
      terminal.dispose()
    }),
    { numRuns: runs(20, 60) },
  )
})

test('a frame writes the lines that changed and no others, and nothing where none did', async () => {
  const { screen, flush } = open()
  screen.draw({ finished: ['old'], live: ['one', 'two', 'three', 'four'] })
  await flush()

  screen.draw({ finished: [], live: ['one', 'two', 'THREE', 'four'] })
  const changed = await flush()
  screen.draw({ finished: [], live: ['one', 'two', 'THREE', 'four'] })

  expect(changed).toContain('THREE')
  expect(changed).not.toMatch(/one|two|four|old/)
  expect(await flush()).toBe('')
})

test('a line that becomes shorter leaves no erased letters behind it, which tmux would wrap', async () => {
  const { screen, flush } = open()
  screen.draw({ finished: [], live: ['a long line', 'b', 'end'] })
  await flush()

  screen.draw({ finished: [], live: ['short', 'bigger', 'end'] })

  expect(await flush()).toContain('\u001B[2A\r\u001B[Kshort\u001B[1B\rbigger\u001B[1B\r')
})

test('what fills the screen is not erased from its first row on, which tmux would keep in the scrollback', async () => {
  const { screen, flush, surface } = open()
  const live = Array.from({ length: ROWS }, (_, at) => `line ${at}`)
  screen.draw({ finished: [], live })
  await flush()

  surface.columns = 12
  screen.draw({ finished: [], live })
  const resized = await flush()
  screen.leave()

  const wanted = '\r\u001B[K\u001B[B\u001B[J\u001B[A'
  expect(resized).toContain(wanted)
  expect(await flush()).toContain(wanted)
})

test('no frame clears the screen or the scrollback', async () => {
  await fc.assert(
    fc.asyncProperty(frames, fc.array(fc.integer({ min: 5, max: 40 })), async (drawn, widths) => {
      const { screen, flush, surface, terminal } = open()
      let written = ''
      for (const [at, frame] of drawn.entries()) {
        const columns = widths[at]
        if (columns !== undefined) {
          surface.columns = columns
          terminal.resize(columns, ROWS)
        }
        screen.draw(frame)
        written += await flush()
      }

      expect(written).not.toMatch(/\u001B\[[23]J/)
      terminal.dispose()
    }),
    { numRuns: 30 },
  )
})
