/** From a command in the real sandbox to the person's own git, which must not run what the command planted. */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { missing, named } from '../with-sandbox.ts'
import { git, paths, repository, take, watched } from './watching.ts'

const SCRIPT = 'printf "#!/bin/sh\\ntouch ran\\n"'
const PLANT = `mkdir -p .husky && ${SCRIPT} > .husky/pre-commit && chmod +x .husky/pre-commit`

async function commitsOutside(root: string): Promise<boolean> {
  await writeFile(join(root, 'b.txt'), 'b\n')
  await git(root, 'add', 'b.txt')
  await git(root, 'commit', '-q', '-m', 'second')
  return existsSync(join(root, 'ran'))
}

test.skipIf(missing)(
  named('a hook that a command plants is withheld, and git outside runs nothing'),
  async () => {
    const root = await repository()
    await git(root, 'config', 'core.hooksPath', '.husky')
    const { sh } = await watched(root, { sandboxed: true })

    const changes = await sh(PLANT)

    expect(changes.exitCode).toBe(0)
    expect(paths(changes)).toEqual(['.husky/pre-commit'])
    expect(existsSync(join(root, '.husky/pre-commit'))).toBe(false)
    expect(await readFile(changes.withheld[0]?.keptAt ?? '', 'utf8')).toBe('#!/bin/sh\ntouch ran\n')
    expect(await commitsOutside(root)).toBe(false)
  },
)

test.skipIf(missing)(named('the same hook runs once the person keeps it'), async () => {
  const root = await repository()
  await git(root, 'config', 'core.hooksPath', '.husky')
  const { sh } = await watched(root, { sandboxed: true })

  const changes = await sh(PLANT)
  await changes.withheld[0]?.keep?.()

  expect(await commitsOutside(root)).toBe(true)
})

test.skipIf(missing)(named('a job that writes until it is killed leaves nothing behind'), async () => {
  const root = await repository()
  const { exec } = await watched(root, { sandboxed: true })
  await exec.start('setsid sh -c "while :; do echo x > .envrc; echo x > .exrc; done" & wait')
  await expect.poll(async () => paths(await take(exec)).length).toBeGreaterThan(0)

  await exec.close()

  expect([existsSync(join(root, '.envrc')), existsSync(join(root, '.exrc'))]).toEqual([false, false])
})
