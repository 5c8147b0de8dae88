/**
 * A small process that outlives Covey. Covey holds the other end of its pipe: when that closes without a farewell, Covey was
 * killed, and the watcher hangs up the shell and puts the terminal back. It is `sh` and `stty`, in a session of its own, so
 * that no signal of the terminal reaches it.
 */
import { spawn, spawnSync } from 'node:child_process'

export type Watcher = {
  watch(pid: number): void
  /** A full-screen program has the terminal, or has left it. */
  screen(isAlternate: boolean): void
  /** All is well: the terminal is put back by Covey itself. */
  dismiss(): void
}

/** Only where it is left: on the main screen this moves the cursor to where it was saved last. */
export const MAIN_SCREEN = '\u001B[?1049l'

/** Cursor, colours, keypad; no mouse, paste or focus reports; the character set of text. */
export const RESET_SCREEN =
  '\u001B[?25h\u001B[0m\u001B[?1l\u001B>\u001B[?1000;1002;1003;1006l\u001B[?2004l\u001B[?1004l\u001B[?2026l\u001B(B'

const SCRIPT = `
pid= over= screen=
while read -r word rest; do
  case $word in shell) pid=$rest ;; over) over=1 ;; alternate) screen=$3 ;; main) screen= ;; esac
done <&3
[ -n "$over" ] && exit
[ -n "$pid" ] && kill -HUP "$pid"
stty "$1"
printf '%b\\r\\n' "$screen$2" >&1
`

/** Nothing where there is no terminal to put back. */
export function startWatcher(input: NodeJS.ReadStream): Watcher | undefined {
  const saved = savedModes()
  if (saved === undefined || !input.isTTY) return undefined
  const [reset, leave] = [RESET_SCREEN, MAIN_SCREEN].map((text) => text.replaceAll('\u001B', '\\033'))
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', saved, reset ?? '', leave ?? ''], {
    detached: true,
    stdio: ['inherit', 'inherit', 'ignore', 'pipe'],
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
  })
  child.on('error', () => undefined)
  child.unref()
  const pipe = child.stdio[3]
  if (!pipe || !('write' in pipe)) return undefined
  pipe.on('error', () => undefined)
  if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref()
  return {
    watch: (pid) => void pipe.write(`shell ${pid}\n`),
    screen: (isAlternate) => void pipe.write(isAlternate ? 'alternate\n' : 'main\n'),
    dismiss: () => void pipe.end('over\n'),
  }
}

function savedModes(): string | undefined {
  const { status, stdout } = spawnSync('stty', ['-g'], {
    stdio: ['inherit', 'pipe', 'ignore'],
    encoding: 'utf8',
  })
  const modes = stdout?.trim()
  return status === 0 && /^[\w:=,;-]+$/.test(modes) ? modes : undefined
}
