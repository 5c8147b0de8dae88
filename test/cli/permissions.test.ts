import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { covey } from '../support/covey.ts'
import { missing, named } from '../guard/with-sandbox.ts'

const describeSandboxed = describe.skipIf(missing !== undefined)

type Shown = {
  readonly name: string
  readonly mounts: readonly { readonly how: string; readonly target: string }[]
}

/** Not below /tmp, which is another one in the sandbox. */
function homeWith(files: Readonly<Record<string, string>>) {
  const home = mkdtempSync('/var/tmp/covey-permissions-')
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  return { home, cwd: join(home, 'app'), env: { PATH: process.env['PATH'], HOME: home } }
}

describeSandboxed(named('covey permissions sandbox'), () => {
  test('shows what a command sees: a home that keeps nothing, the project, and secrets as hidden', async () => {
    const { home, cwd, env } = homeWith({
      'app/.env': 'x',
      'app/a.txt': '',
      '.rustup/.npmrc': 'x',
      '.ssh/id': 'x',
    })

    const { code, out, err } = await covey(['permissions', 'sandbox'], { cwd, env })

    const lines = out.replaceAll(home, '~').split('\n')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(lines[0]).toBe('bubblewrap, network closed; what is not listed does not exist in it:')
    expect(lines.filter((line) => /\s~/.test(line)).map((line) => line.trim())).toEqual([
      'temporary  ~  (an empty home)',
      'read-only  ~/.rustup  (toolchains and packages)',
      'read-only  ~/.gitconfig  (name and mail for git)',
      'read-only  ~/.config/git/ignore  (what git ignores)',
      'writable   ~/app  (project)',
      'hidden     ~/.rustup/.npmrc  (may hold secrets)',
      'hidden     ~/app/.env  (may hold secrets)',
      'sealed     ~  (nothing is kept here)',
    ])
  })

  test('a project cannot open more, trusted or not; the person can', async () => {
    const opens = '[sandbox]\nreadable = ["~/notes"]\nwritable = ["~/out"]\n'
    const { home, cwd, env } = homeWith({ 'app/.covey/config.toml': opens, 'notes/a': '', 'out/a': '' })
    const show = async (): Promise<readonly string[]> => {
      const { out } = await covey(['permissions', 'sandbox', '--json'], { cwd, env })
      const { mounts } = JSON.parse(out) as Shown
      return mounts
        .filter(({ target }) => /\/(?:notes|out)$/.test(target))
        .map(({ how, target }) => `${how} ${target}`)
    }

    const untrusted = await show()
    const { code } = await covey(['trust', 'add', '.covey/config.toml'], { cwd, env })
    const trusted = await show()
    mkdirSync(join(home, '.config/covey'), { recursive: true })
    writeFileSync(join(home, '.config/covey/config.toml'), opens)
    const own = await show()

    expect({ code, untrusted, trusted, own }).toEqual({
      code: 0,
      untrusted: [],
      trusted: [],
      own: [`read-only ${home}/notes`, `writable ${home}/out`],
    })
  })
})
