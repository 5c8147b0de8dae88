/** Everyday programs in the real sandbox, and a project that never stands still. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempProject } from '../../support/project.ts'
import { missing, named, patient, sandboxed } from '../with-sandbox.ts'

const describeSandboxed = describe.skipIf(missing !== undefined)

const has = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `${program} --version`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describeSandboxed(named('everyday work'), () => {
  test.skipIf(!has('pytest'))('pytest runs (needs pytest)', async () => {
    const cwd = await tempProject({ 'test_a.py': 'def test_a():\n    assert 1 + 1 == 2\n' })
    const exec = await sandboxed(cwd)

    expect((await exec.shell('pytest -q', patient({ timeoutMs: 60_000 }))).output).toMatch(/1 passed/)
  })

  test('tsc checks types with the packages of a folder above', async () => {
    const above = await tempProject({
      'node_modules/typed/package.json': '{"name":"typed","types":"index.d.ts"}',
      'node_modules/typed/index.d.ts': 'export const one: number\n',
      'app/a.ts': "import { one } from 'typed'\nexport const two: string = one\n",
    })
    const exec = await sandboxed(join(above, 'app'))
    const tsc = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc')

    const { output } = await exec.shell(
      `node ${tsc} --noEmit --skipLibCheck a.ts`,
      patient({ timeoutMs: 60_000 }),
    )

    expect(output).toMatch(/^a\.ts\(2,14\): error TS2322/)
  })
})

describeSandboxed(named('a project in motion'), () => {
  test('stops no command: what vanished while a sandbox was put up is planned anew', async () => {
    const cwd = await tempProject({ 'sub/.env': 'PRIVATE', 'sub/.vscode/x': '' })
    const exec = await sandboxed(cwd)
    await exec.start('while true; do mv sub aside; mv aside sub; sleep 0.5; done')
    const outputs: string[] = []

    for (let round = 0; round < 40; round++)
      outputs.push((await exec.shell('cat sub/.env aside/.env 2>/dev/null; echo ran', patient())).output)

    expect(outputs.filter((output) => !output.endsWith('ran\n') || output.includes('PRIVATE'))).toEqual([])
  })
})
