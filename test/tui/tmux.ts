/** A program in a real tmux: it wraps lines anew when a window is resized, and keeps what it erases in ways of its own. */
import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { eventually } from '../support/wait.ts'

export const hasTmux = spawnSync('tmux', ['-V']).status === 0

export type TmuxOptions = {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly size: readonly [columns: number, rows: number]
}

export function openTmux(argv: readonly string[], { cwd, env, size }: TmuxOptions) {
  const socket = `covey-test-${randomUUID()}`
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], {
      cwd,
      env: { ...env, LANG: 'C.UTF-8' },
      encoding: 'utf8',
    })
  const [columns, rows] = size
  const command = argv.map((word) => `'${word}'`).join(' ')
  tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), command)
  tmux('set', '-g', 'history-limit', '5000')
  onTestFinished(() => void spawnSync('tmux', ['-L', socket, 'kill-server']))
  const shown = (): string => tmux('capture-pane', '-p').trimEnd()
  return {
    type: (...keys: readonly string[]) => void tmux('send-keys', ...keys),
    resize: (x: number, y: number) => void tmux('resize-window', '-x', String(x), '-y', String(y)),
    shown,
    /** The scrollback as well. */
    all: () => tmux('capture-pane', '-p', '-S', '-').trimEnd(),
    sees: (wanted: RegExp) =>
      eventually(() => {
        const screen = shown()
        if (!wanted.test(screen)) throw new Error(`no ${wanted} on:\n${screen}`)
        return screen
      }),
  }
}
