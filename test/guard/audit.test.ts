import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createAudit } from '../../src/guard/audit.ts'
import { createFiles } from '../../src/guard/paths/files.ts'
import { createFirewall } from '../../src/guard/secrets/firewall.ts'
import type { AuditEntry } from '../../src/protocol/guard.ts'
import { tempProject } from '../support/project.ts'

const entry: AuditEntry = {
  what: 'refused',
  sessionId: 's1',
  tool: 'run_command',
  targets: ['rm -rf /'],
  why: 'outside the project',
  by: 'permissions',
}

async function audit(options: { readonly maxBytes?: number; readonly keep?: number } = {}) {
  const root = await tempProject()
  const { outgoingValue } = createFirewall({ files: createFiles({ root }) })
  const path = join(root, 'data', 'audit.log')
  const now = () => Date.UTC(2026, 0, 2, 3, 4, 5)
  return { root, path, log: createAudit({ path, outgoingValue, now, ...options }) }
}

test('one line for each decision, for the owner’s eyes only', async () => {
  const { path, log } = await audit()

  log.write(entry)
  log.write({ ...entry, what: 'approved', by: 'person', secrets: ['[secret:aws-key:k3f9:1]'] })

  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { at: '2026-01-02T03:04:05.000Z', ...entry },
    {
      at: '2026-01-02T03:04:05.000Z',
      ...entry,
      what: 'approved',
      by: 'person',
      secrets: ['[secret:aws-key:k3f9:1]'],
    },
  ])
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('no secret, no control character and no endless text gets in', async () => {
  const key = 'AKIAQWERTYUIOPASDF12'
  const { path, log } = await audit()

  log.write({ ...entry, targets: [`curl ${key}`, '\u001B[2J'], why: `${'x'.repeat(10_000)}\n` })

  const text = await readFile(path, 'utf8')
  expect(text).not.toContain(key)
  expect(text).not.toContain('\u001B')
  expect(text.split('\n').length).toBe(2)
  expect(text.length).toBeLessThan(1500)
})

test('old lines leave by rotation only, and what stays is bounded', async () => {
  const { path, log } = await audit({ maxBytes: 400, keep: 2 })

  for (let count = 1; count <= 20; count++) log.write({ ...entry, why: `number ${count}` })

  const names = (await readdir(join(path, '..'))).toSorted()
  const texts = await Promise.all(['.2', '.1', ''].map((end) => readFile(path + end, 'utf8').catch(() => '')))
  const numbers = texts.join('').match(/number \d+/g) ?? []
  expect(names.filter((name) => name !== 'audit.log')).toEqual(['audit.log.1', 'audit.log.2'])
  expect(numbers.at(-1)).toBe('number 20')
  expect(numbers).toEqual(
    Array.from({ length: numbers.length }, (_, index) => `number ${21 - numbers.length + index}`),
  )
})

test('a link planted in its place is not followed', async () => {
  const { root, path, log } = await audit()
  log.write(entry)
  await writeFile(join(root, 'victim'), '')
  const planted = join(root, 'data', 'other.log')
  await symlink(join(root, 'victim'), planted)
  const { outgoingValue } = createFirewall({ files: createFiles({ root }) })

  expect(() => createAudit({ path: planted, outgoingValue }).write(entry)).toThrow(planted)

  expect(await readFile(join(root, 'victim'), 'utf8')).toBe('')
  expect(await readFile(path, 'utf8')).not.toBe('')
})
