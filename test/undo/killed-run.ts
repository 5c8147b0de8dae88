/**
 * A process that does one run and undoes it, killed at one of its effects on the disk:
 * `killed-run.ts <root> <session> <number>:<before|after>`. Prints `done` when it came to its end.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

const [root = '', session = '', when = ''] = process.argv.slice(2)
const [number, side] = when.split(':')
let effects = 0

function killable(holder: object, name: string): void {
  const real: unknown = Reflect.get(holder, name)
  if (typeof real !== 'function') throw new Error(`there is no ${name}`)
  Reflect.set(holder, name, (...args: unknown[]) => {
    const isIt = ++effects === Number(number)
    if (isIt && side === 'before') process.kill(process.pid, 'SIGKILL')
    const result: unknown = Reflect.apply(real, holder, args)
    if (!isIt) return result
    const die = () => process.kill(process.pid, 'SIGKILL')
    return result instanceof Promise ? result.then(die) : die()
  })
}

killable(fs, 'writeSync')
for (const name of ['rename', 'unlink', 'writeFile', 'mkdir', 'rmdir', 'rm']) killable(fs.promises, name)
syncBuiltinESMExports()

const { createExec } = await import('../../src/guard/exec.ts')
const { createFiles } = await import('../../src/guard/paths/files.ts')
const { listProject } = await import('../../src/lib/list-project.ts')
const { openUndo } = await import('../../src/undo/undo.ts')

effects = 0
const reach = { files: createFiles({ root }), exec: createExec({ cwd: root, env: process.env }) }
const undo = await openUndo({
  root,
  list: async (signal) => (await listProject(reach, signal)).paths,
  isKept: () => true,
  isHarmless: async () => false,
  place: async (path) => join(root, path),
  folders: { session, contents: join(session, 'undo', 'contents') },
})
const files = undo.files(reach.files)
await undo.begin({ runId: 'r1', at: 1, prompt: 'x' })
await files.write('a.txt', 'changed')
await files.write('new/b.txt', 'new')
await files.remove('c.txt')
await undo.exec(reach.exec).shell('echo 2 > d.txt; rm e.txt; mkdir g; mv f.txt g/f.txt', {
  timeoutMs: 10_000,
  signal: new AbortController().signal,
})
await undo.end()
await undo.undo()
await undo.close()
await reach.exec.close()
console.log('done')
