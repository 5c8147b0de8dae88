/** A picture from the clipboard, read by the program of the desktop: a real program in its place prints a real PNG. */
import { readFileSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readBytesInside } from '../../src/guard/paths/read-bytes.ts'
import { savePicture } from '../../src/tui/clipboard.ts'
import { tempProject } from '../support/project.ts'

const picture = new URL('../../docs/terminal/start.png', import.meta.url).pathname
const bytes = readFileSync(picture)

/** A desktop that has these programs, each a line of shell. */
async function desktop(
  programs: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = 'linux',
) {
  const bin = await tempProject()
  for (const [name, line] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${line}\n`)
    await chmod(join(bin, name), 0o755)
  }
  return { platform, env: { PATH: `${bin}:/usr/bin:/bin`, ...env } }
}

const PRINTS = `cat ${picture}`

describe('a picture is read', () => {
  test.each([
    ['Wayland', { 'wl-paste': PRINTS }, { WAYLAND_DISPLAY: 'w' }, 'linux'],
    ['X11', { xclip: PRINTS }, { DISPLAY: ':0' }, 'linux'],
    [
      'X11 under Wayland',
      { 'wl-paste': 'exit 1', xclip: PRINTS },
      { WAYLAND_DISPLAY: 'w', DISPLAY: ':0' },
      'linux',
    ],
    ['WSL', { 'powershell.exe': `base64 -w0 ${picture}` }, { WSL_DISTRO_NAME: 'Debian' }, 'linux'],
    ['macOS with pngpaste', { pngpaste: PRINTS }, {}, 'darwin'],
    [
      'macOS',
      {
        osascript: `printf '«data PNGf'; od -An -v -tx1 ${picture} | tr -d ' \\n' | tr a-f A-F; echo '»'`,
      },
      {},
      'darwin',
    ],
  ] as const)('on %s', async (_, programs, env, platform) => {
    const cwd = await tempProject()

    const path = await savePicture(cwd, await desktop(programs, env, platform))

    expect(path).toMatch(/^\.covey\/pasted\/\d{8}-\d{6}-\d+\.png$/)
    expect(await readFile(join(cwd, path))).toEqual(bytes)
    expect(await readFile(join(cwd, '.covey/pasted/.gitignore'), 'utf8')).toBe('*\n')
    expect(Buffer.from((await readBytesInside(cwd)(path, 10_000_000)) ?? [])).toEqual(bytes)
  })
})

describe('what is missing is named', () => {
  test.each([
    ['no desktop', {}, {}, 'There is no desktop here'],
    [
      'no program',
      {},
      { WAYLAND_DISPLAY: 'w', DISPLAY: ':0' },
      'wl-paste or xclip, which is not installed. Save the picture as a file',
    ],
    ['text only', { xclip: 'echo words' }, { DISPLAY: ':0' }, 'There is no picture in the clipboard'],
    ['an error', { xclip: 'exit 1' }, { DISPLAY: ':0' }, 'There is no picture in the clipboard'],
  ] as const)('%s', async (_, programs, env, message) => {
    const cwd = await tempProject()
    const place = await desktop(programs, env)

    await expect(savePicture(cwd, { ...place, env: { ...place.env } })).rejects.toThrow(message)
    expect(await readdir(cwd)).toEqual([])
  })
})

test('a link in the project leads no picture elsewhere', async () => {
  const cwd = await tempProject()
  const other = await tempProject()
  await symlink(other, join(cwd, '.covey'))

  const saved = savePicture(cwd, await desktop({ xclip: PRINTS }, { DISPLAY: ':0' }))

  await expect(saved).rejects.toThrow('is not a directory')
  expect(await readdir(other)).toEqual([])
})

test('the newest twenty are kept', async () => {
  const cwd = await tempProject()
  const folder = join(cwd, '.covey', 'pasted')
  await mkdir(folder, { recursive: true })
  for (let count = 10; count < 35; count++) await writeFile(join(folder, `20200101-0000${count}-1.png`), '')

  const path = await savePicture(cwd, await desktop({ xclip: PRINTS }, { DISPLAY: ':0' }))

  const names = (await readdir(folder)).filter((name) => name.endsWith('.png'))
  expect(names).toHaveLength(20)
  expect(names).toContain(path.split('/').at(-1))
})
