/** What another program gets when it imports the built package: the same answers as from the sources. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import * as library from '../../src/index.ts'
import { packageFile } from '../../src/lib/package-files.ts'
import { judgeCommand } from '../../src/guard/shell/judge.ts'

const run = promisify(execFile)

/** Prints, as JSON, what `program` makes of the built library, called `covey` there. */
async function built(program: string): Promise<unknown> {
  const text = `import * as covey from ${JSON.stringify(packageFile('dist/index.js'))}
    console.log(JSON.stringify(await (${program})))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', text])
  return JSON.parse(stdout)
}

test('it has the same names', async () => {
  expect(await built('Object.keys(covey).sort()')).toEqual(Object.keys(library).toSorted())
})

test('grammars are found where the package keeps them', async () => {
  const commands = [
    'touch notes.txt',
    'cat a | grep b',
    'rm -rf / --no-preserve-root',
    'for f in *; do echo $f; done',
  ]

  const verdicts = await built(
    `Promise.all(${JSON.stringify(commands)}.map((command) => covey.judgeCommand(command)))`,
  )

  expect(verdicts).toEqual(await Promise.all(commands.map((command) => judgeCommand(command))))
})
