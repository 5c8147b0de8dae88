import { chmod } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { tempProject } from '../support/project.ts'
import { ANSWER, OFFLINE, POWERLESS, PROMPT, READ_ONLY, unusable, wrapped } from './wrapped.ts'

function withWrapper(by: readonly string[], title: string, tests: () => void): void {
  const missing = unusable(by)
  describe.skipIf(missing !== undefined)(
    missing === undefined ? title : `${title} (skipped: ${missing})`,
    tests,
  )
}

withWrapper(READ_ONLY, 'a read-only root', () => {
  test('doctor names what cannot be kept', async () => {
    const { code, out } = await wrapped(['doctor'], { by: READ_ONLY })

    expect(out).toMatch(/✗ data .*read-only.*set XDG_DATA_HOME to a folder you can write/)
    expect(out).toMatch(/– sandbox .*set TMPDIR/)
    expect(code).toBe(1)
  })

  test('what there is can still be listed', async () => {
    const { code, out } = await wrapped(['sessions'], { by: READ_ONLY })

    expect({ code, out }).toEqual({ code: 0, out: 'No sessions here yet.\n' })
  })
})

withWrapper(POWERLESS, 'a home that cannot be written', () => {
  test('is named, and --incognito answers', async () => {
    const home = await tempProject()
    await chmod(home, 0o500)
    const options = { by: POWERLESS, env: { HOME: home, XDG_DATA_HOME: '', XDG_CONFIG_HOME: '' } }

    const [kept, incognito] = await Promise.all([
      wrapped(PROMPT, options),
      wrapped(['--incognito', ...PROMPT], options),
    ])

    expect(kept.code).toBe(1)
    expect(kept.err).toMatch(/Cannot use .*\.local: permission denied; .*--incognito \(EACCES\)/)
    expect({ code: incognito.code, out: incognito.out }).toEqual({ code: 0, out: ANSWER })
  })
})

withWrapper(OFFLINE, 'no network at all', () => {
  test('a model on this machine answers; a server elsewhere is named as what cannot be reached', async () => {
    const elsewhere = ['--base-url', 'http://models.example.com/v1', '--model', 'x', 'Hello']

    const [here, there] = await Promise.all([
      wrapped(['What files are in this folder?'], { by: OFFLINE }),
      wrapped(elsewhere, { by: OFFLINE }),
    ])

    expect(here.out).toContain('a.txt')
    expect(here.code).toBe(0)
    expect(there.err).toContain('cannot connect to http://models.example.com/v1')
    expect(there.code).toBe(1)
  })
})

describe('a home under /proc, where no folder can ever be made (needs /proc of Linux)', () => {
  test.skipIf(process.platform !== 'linux')('is named instead of being tried for ever', async () => {
    const { code, err } = await wrapped(PROMPT, { env: { XDG_DATA_HOME: '/proc/none/such' } })

    expect(err).toContain('Cannot use /proc/none')
    expect(code).toBe(1)
  })
})

describe('a machine with nothing installed', () => {
  const env = { PATH: '/nowhere' }

  test('answers and says that commands are not confined', async () => {
    const { code, out, err } = await wrapped(PROMPT, { env })

    expect(out).toBe(ANSWER)
    expect(err).toContain('bwrap is not installed')
    expect(code).toBe(0)
  })

  test('doctor names git, python and the sandbox as missing', async () => {
    const { code, out } = await wrapped(['doctor'], { env })

    expect(out).toMatch(/– git +install git/)
    expect(out).toMatch(/– python +install python3/)
    expect(out).toMatch(/– sandbox +bwrap is not installed/)
    expect(code).toBe(0)
  })
})

describe('a terminal', () => {
  test('of 20 columns shows the same answer', async () => {
    const { code, out } = await wrapped(PROMPT, { env: { COLUMNS: '20', TERM: 'dumb' } })

    expect({ code, out }).toEqual({ code: 0, out: ANSWER })
  })

  test('that is not there: without a prompt the way in is said', async () => {
    const { code, err } = await wrapped([])

    expect(err).toContain('no prompt: write it in quotes, pipe it in, or start `covey` on a terminal')
    expect(code).toBe(2)
  })

  test('whose streams are all closed stops nothing', async () => {
    const { code } = await wrapped(PROMPT, { sh: 'exec "$@" <&- >&- 2>&-' })

    expect(code).toBe(0)
  })
})
