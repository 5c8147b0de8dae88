/** A process that is killed leaves its folders; the next one removes them and nothing else. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTempFolder, removeAbandoned } from '../../src/lib/temp-folder.ts'
import { tempProject } from '../support/project.ts'

test('folders of processes that are gone are removed, those of running and unknown ones stay', async () => {
  const above = await realpath(await tempProject())
  const gone = spawn(process.execPath, ['-e', '0'])
  await once(gone, 'exit')
  const [, namespace] = /^covey-sample-(\d+)-\d+-/.exec(basename(makeTempFolder('sample'))) ?? []
  const names = {
    gone: `covey-sandbox-${namespace}-${gone.pid}-a1B2c3`,
    running: `covey-sandbox-${namespace}-${process.pid}-a1B2c3`,
    elsewhere: `covey-sandbox-1${namespace}-${gone.pid}-a1B2c3`,
    other: 'covey-notes-of-mine',
  }
  for (const name of Object.values(names)) await mkdir(join(above, name, 'full'), { recursive: true })

  await removeAbandoned(above)

  expect((await readdir(above)).toSorted()).toEqual([names.other, names.elsewhere, names.running].toSorted())
})
