/** How it ends: by itself, killed, hung up, stopped and continued. The terminal is right afterwards each time. */
import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { key } from '../tui/terminal.ts'
import { missing, openShell, shells, type ShellName } from './scene.ts'

/** Covey as a command of an outer bash, so that the terminal can be looked at when it has ended. */
async function openInside(shell: ShellName = 'bash') {
  let command = ''
  const screen = await openShell(shell, {
    size: [200, 24],
    argv: (words) => {
      command = words.map((word) => `'${word}'`).join(' ')
      return ['/bin/bash', '--norc', '--noprofile', '-i']
    },
  })
  await screen.sees(/\$$|#$/)
  screen.enter(`PS1='outer> '; stty -g > modes-before; ${command}; echo "code $?"`)
  await screen.prompt()
  return screen
}

const SAME = '[ "$(stty -g)" = "$(cat modes-before)" ] && echo same" "modes'

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Processes below Covey: the shell itself, by the file it was started with. */
async function pids(
  screen: Awaited<ReturnType<typeof openShell>>,
): Promise<{ covey: number; shell: number }> {
  screen.enter('echo "pid=$PPID.shell=$$."')
  if (process.platform !== 'linux') throw new Error('linux only')
  const shown = await screen.saw(/pid=(\d+)\.shell=(\d+)\./)
  const [, covey = '0', shell = '0'] = /pid=(\d+)\.shell=(\d+)\./.exec(shown) ?? []
  return { covey: Number(covey), shell: Number(shell) }
}

const temporary = (): readonly string[] =>
  readdirSync(tmpdir()).filter(
    (name) => name.startsWith('covey-shell-') && !name.startsWith('covey-shell-home'),
  )

describe.skipIf(missing('bash') || process.platform !== 'linux')('bash', () => {
  test('Ctrl+D: the modes of the terminal are those from before', async () => {
    const screen = await openInside()

    screen.type(key.ctrl('d'))
    await screen.sees(/code 0\n/)
    screen.enter(SAME)

    await screen.sees(/^same modes$/m)
    expect(temporary()).toEqual([])
  })

  test('kill -9 of Covey: the shell is hung up, the terminal is put back', async () => {
    const screen = await openInside()
    const { covey, shell } = await pids(screen)
    screen.enter('vim -u NONE a.txt || sleep 100')
    await screen.until('a program that runs', () => screen.bytes().includes('\u001B[?1049h'))

    process.kill(covey, 'SIGKILL')
    // It may be written while the screen of vim is still there.
    await screen.until('code 137', () => screen.bytes().includes('code 137'))
    await screen.until('the end of the shell', () => !isAlive(shell))
    screen.enter(SAME)

    await screen.saw(/^same modes$/m)
    // The main screen, and keys that are shown.
    expect(screen.shown()).toContain('stty -g')
    expect(screen.bytes().lastIndexOf('\u001B[?1049l')).toBeGreaterThan(
      screen.bytes().lastIndexOf('\u001B[?1049h'),
    )
  })

  test('the shell is killed: Covey ends with its status', async () => {
    const screen = await openShell('bash')
    await screen.prompt()

    screen.enter('kill -9 $$')

    expect(await screen.ended).toBe(137)
  })

  test('a closed window hangs up everything', async () => {
    const screen = await openInside()
    const { covey, shell } = await pids(screen)

    process.kill(covey, 'SIGHUP')

    await screen.until('after: the end of both', () => !isAlive(covey) && !isAlive(shell))
    expect(existsSync(`/proc/${shell}`)).toBe(false)
  })

  test('stopped and continued: the outer shell has the terminal in between', async () => {
    const screen = await openInside()
    const { covey } = await pids(screen)
    await screen.prompt()

    process.kill(covey, 'SIGTSTP')
    await screen.saw(/Stopped/)
    screen.enter(SAME)
    await screen.saw(/^same modes$/m)
    screen.enter('fg')
    await screen.until('the shell in the foreground', () => /fg\n/.test(screen.all()))
    screen.enter('echo still" "there')

    await screen.sees(/^still there$/m)
    expect(isAlive(covey)).toBe(true)
  })

  test.skipIf(missing('vim'))('stopped and continued: a full-screen program draws itself again', async () => {
    const screen = await openInside()
    const { covey } = await pids(screen)
    await screen.prompt()
    screen.enter('vim -u NONE a.txt')
    await screen.sees(/^~ *\n~ *\n/m)

    process.kill(covey, 'SIGTSTP')
    await screen.saw(/Stopped/)
    screen.enter('clear; echo cleared')
    await screen.sees(/^cleared\n/m)
    await screen.gone(/^~ *\n~/m)
    screen.enter('fg')
    await screen.sees(/^one\n~ *\n~ *\n~/m)
    screen.type(':q\r')

    await screen.prompt()
  })
})

describe.skipIf(missing('bash') || process.platform !== 'linux')('rubbish', () => {
  test.each(shells.filter((shell) => !missing(shell)))(
    '%s: any bytes, a nested shell, a long line and kill -9 leave the terminal as it was',
    async (shell) => {
      const screen = await openInside(shell)
      const every = Array.from({ length: 256 }, (_, code) => `\\${code.toString(8).padStart(3, '0')}`)
      // Without ESC and the controls of C1, which would change the screen of any shell.
      const bytes = every.filter((_, code) => code !== 0x1b && (code < 0x80 || code > 0x9f)).join('')

      screen.enter(`printf '${bytes}' | head -c 300; echo; echo over`)
      await screen.sees(/over\nready>$/)
      screen.enter('covey shell')
      await screen.sees(/covey shell *\n(?:.*\n)*ready>$/)
      await screen.presses('echo in" "side\r', /^in side\nready>$/m)
      screen.enter('exit 5')
      await screen.sees(/exit 5 *\n(?:.*\n)*ready>$/)
      screen.enter(`echo ${'x'.repeat(3000)} | wc -c`)
      await screen.sees(/^3001\nready>$/m)
      const shellPid = shell === 'fish' ? '$fish_pid' : '$$'
      screen.enter(`echo "parent=$(ps -o ppid= -p ${shellPid} | tr -d ' ')."`)
      const shown = await screen.saw(/parent=\d+\./)
      process.kill(Number(/parent=(\d+)\./.exec(shown)?.[1]), 'SIGKILL')
      await screen.saw(/code 137/)
      screen.enter(SAME)

      await screen.saw(/^same modes$/m)
    },
  )
})

test.each(shells.filter((shell) => !missing(shell)))(
  '%s: nothing in the home folder is changed',
  async (shell) => {
    const screen = await openShell(shell)
    await screen.prompt()
    const before = readdirSync(screen.home)
      .filter((name) => !/history|^\.(?:config|local|cache|zcompdump)/.test(name))
      .toSorted()

    screen.enter('exit')
    await screen.ended

    const after = readdirSync(screen.home)
      .filter((name) => !/history|^\.(?:config|local|cache|zcompdump)/.test(name))
      .toSorted()
    expect(after).toEqual(before)
  },
)
