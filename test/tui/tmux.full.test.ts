/** Resizing in a real tmux: nothing of the live part stays behind, neither on the screen nor in the scrollback. */
import { describe, expect, test } from 'vitest'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'
import { eventually } from '../support/wait.ts'
import { startServer } from './slow-server.ts'
import { hasTmux, openTmux } from './tmux.ts'

/** Their widths. */
const borders = (text: string): readonly number[] => text.match(/^─+$/gm)?.map(({ length }) => length) ?? []

const answer = Array.from({ length: 150 }, (_, at) => `word${at} and `).join('')

describe.skipIf(!hasTmux)('in tmux (skipped where it is not installed)', () => {
  test('resizing while nothing and while a reply is written leaves no line behind', async () => {
    const { argv, asked } = await startServer()
    const cwd = await tempProject({ 'a.txt': 'one\n' })
    const screen = openTmux(argv(), { cwd, env: await emptyHome(), size: [120, 36] })
    await screen.sees(/help for help[^]*─\n[^]*─\n/)
    // On an empty screen tmux moves the lines that wrapping adds to the scrollback, where nothing can be taken back.
    screen.type('!seq 60', 'Enter')
    await screen.sees(/exit 0[^]*─\n[^]*─\n/)

    for (const [columns, rows] of [
      [60, 36],
      [90, 36],
      [70, 20],
      [50, 24],
      [200, 60],
      // Wrapped anew, the box and its borders are 16 lines here.
      [30, 20],
      [200, 60],
      [120, 36],
    ] as const) {
      screen.resize(columns, rows)
      await eventually(() => expect(borders(screen.all()), screen.all()).toEqual([columns, columns]))
    }

    screen.type('Say it', 'Enter')
    const say = await eventually(() => {
      const [first] = asked
      if (!first) throw new Error('not asked')
      return first
    })
    say({ content: answer })
    await screen.sees(/word149/)
    for (const [columns, rows] of [
      [60, 36],
      [50, 16],
      [100, 30],
      [120, 12],
      [80, 24],
    ] as const) {
      screen.resize(columns, rows)
      await eventually(() => expect(borders(screen.all()), screen.all()).toEqual([columns, columns]))
      expect(screen.all().match(/writing/g)).toHaveLength(1)
    }
  })
})
