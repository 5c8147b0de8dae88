import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createFiles } from '../../src/guard/paths/files.ts'
import { createFirewall } from '../../src/guard/secrets/firewall.ts'
import { findPatchFolder, makePatchFolder } from '../../src/guard/paths/patch-folder.ts'
import { type PermissionMode, permissionModes } from '../../src/protocol/permission-modes.ts'
import { createPermissions } from '../../src/guard/permission/decide.ts'
import type { PatchService } from '../../src/protocol/patch.ts'
import type { Tool, ToolContext } from '../../src/protocol/tool.ts'
import { createProposePatch } from '../../src/tools/propose-patch.ts'
import { createPatchService } from '../../src/tools/patch/proposal-service.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { callTool } from './call.ts'

const FILES = { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'old\n' }
const DIFF = `--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 one
-two
+2
 three
--- a/b.txt
+++ /dev/null
@@ -1 +0,0 @@
-old
--- /dev/null
+++ b/c/new.txt
@@ -0,0 +1 @@
+new
`
const input = { plan: 'Number two.\nMore words.', diff: DIFF, tests: 'npm test' }

type Place = { root: string; tool: Tool; context: ToolContext; service: PatchService }

async function place(files: Record<string, string> = FILES): Promise<Place> {
  const root = await tempProject(files)
  const tool = createProposePatch({
    patches: () => makePatchFolder(root, `${root}-patches.json`),
    now: () => new Date(1_800_000_000_000),
  })
  const service = createPatchService({
    patches: () => findPatchFolder(root, `${root}-patches.json`),
    project: createFiles({ root }),
  })
  return { root, tool, context: toolContext(root), service }
}

const propose = async ({ tool, context }: Place): Promise<string> => {
  const { text } = await callTool(tool, input, context)
  return /^Proposed as (\w+)/.exec(text)?.[1] ?? text
}

const read = (root: string, path: string): Promise<string> =>
  readFile(join(root, path), 'utf8').catch(() => 'missing')

const never = new AbortController().signal

describe('a proposal', () => {
  test('is stored with plan, diff and tests; nothing else changes', async () => {
    const at = await place()

    const { ok, text } = await callTool(at.tool, input, at.context)

    const [proposal] = await at.service.list()
    const id = proposal?.id ?? ''
    expect({ ok, text }).toEqual({
      ok: true,
      text: `Proposed as ${id}: 3 files. Nothing was changed. The person can use\ncovey patch show ${id}\ncovey patch apply ${id}\ncovey patch reject ${id}`,
    })
    expect(id).toMatch(/^[a-z0-9]{10}$/)
    expect(proposal).toMatchObject({
      ...input,
      createdAt: '2027-01-15T08:00:00.000Z',
      state: 'proposed',
      paths: ['a.txt', 'b.txt', 'c/new.txt'],
    })
    expect(await readdir(at.root)).toEqual(['.covey', 'a.txt', 'b.txt'])
    expect(await read(at.root, 'a.txt')).toBe(FILES['a.txt'])
    expect(await read(at.root, `.covey/patches/${id}/patch.diff`)).toBe(DIFF)
    expect(await read(at.root, '.covey/patches/.gitignore')).toBe('*\n')
  })

  test.each([
    ['does not fit', DIFF.replace('-two', '-zwei'), /does not fit a.txt/],
    ['changes nothing', '--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+one\n', /changes nothing/],
    ['is none', 'please change it', /cannot be read/],
    ['leads outside', '--- /dev/null\n+++ b/../x.txt\n@@ -0,0 +1 @@\n+x\n', /outside the project/],
    ['is too long', DIFF.replace('+new', `+${'x'.repeat(600_000)}`), /too long/],
  ])('that %s is refused', async (_, diff, message) => {
    const at = await place()

    await expect(callTool(at.tool, { ...input, diff }, at.context)).rejects.toThrow(message)
    expect(await at.service.list()).toEqual([])
  })

  test('that breaks the syntax goes back to the model', async () => {
    const at = await place({ 'a.ts': 'const a = 1\n' })
    const diff = '--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-const a = 1\n+const a = (\n'

    const { ok, text } = await callTool(at.tool, { ...input, diff }, at.context)

    expect(ok).toBe(false)
    expect(text).toMatch(/Syntax problem in a.ts .* Fix the diff first\.$/s)
  })

  test('cut off by a crash is none', async () => {
    const at = await place()
    const id = await propose(at)
    await writeFile(join(at.root, `.covey/patches/${id}/proposal.json`), '{"state": "prop')

    expect(await at.service.list()).toEqual([])
  })

  test('is not stored through a link', async () => {
    const at = await place()
    const elsewhere = await tempProject()
    await symlink(elsewhere, join(at.root, '.covey'))

    await expect(callTool(at.tool, input, at.context)).rejects.toThrow(/through a link/)
    expect(await readdir(elsewhere)).toEqual([])
  })
})

describe('permission', () => {
  const verdicts = async (at: Place, rules: { tool: string; pattern?: string }[] = []) => {
    const request = {
      call: { id: '1', name: 'propose_patch', input: '{}' },
      category: 'write' as const,
      access: at.tool.access(at.tool.input.parse(input)),
    }
    const decide = async (mode: PermissionMode) => {
      const denied = rules.map((rule) => ({ ...rule, verdict: 'deny' as const }))
      const permissions = createPermissions({ mode, roots: [at.root], sandboxed: false, rules: denied })
      return (await permissions.authorize(request)).verdict
    }
    return Object.fromEntries(
      await Promise.all(permissionModes.map(async (mode) => [mode, await decide(mode)] as const)),
    )
  }

  test('it only reads, so every mode that may read may propose', async () => {
    expect(await verdicts(await place())).toEqual({
      ask: 'allow',
      'accept-edits': 'allow',
      auto: 'allow',
      'read-only': 'allow',
      deny: 'deny',
      bypass: 'allow',
    })
  })

  test('a deny holds, for the tool and for a path of the diff', async () => {
    const at = await place()
    const all = Object.fromEntries(permissionModes.map((mode) => [mode, 'deny']))

    expect(await verdicts(at, [{ tool: 'propose_patch' }])).toEqual(all)
    expect(await verdicts(at, [{ tool: '*', pattern: 'b.txt' }])).toEqual(all)
  })

  test('other tools cannot write where proposals are kept', async () => {
    const at = await place()
    const id = await propose(at)

    await expect(at.context.files.write(`.covey/patches/${id}/patch.diff`, 'x')).rejects.toThrow(
      /decides what/,
    )
  })
})

describe('the person', () => {
  test('applies all of it', async () => {
    const at = await place()
    const id = await propose(at)

    const changes = await at.service.apply(id.slice(0, 9), never)

    expect(changes.map(({ path }) => path)).toEqual(['a.txt', 'b.txt', 'c/new.txt'])
    expect(await read(at.root, 'a.txt')).toBe('one\n2\nthree\n')
    expect(await read(at.root, 'b.txt')).toBe('missing')
    expect(await read(at.root, 'c/new.txt')).toBe('new\n')
    expect((await at.service.find(id)).state).toBe('applied')
    await expect(at.service.apply(id, never)).rejects.toThrow(`${id} was applied already.`)
  })

  test.each([
    ['a file has changed, though the patch would still fit', 'a.txt', 'one\ntwo\nthree\nfour\n'],
    ['a file is there that was not', 'c/new.txt', 'mine\n'],
  ])('applies nothing when %s', async (_, path, text) => {
    const at = await place({ ...FILES, 'c/other.txt': '' })
    const id = await propose(at)
    await writeFile(join(at.root, path), text)

    await expect(at.service.apply(id, never)).rejects.toThrow(`${path} has changed since it was proposed`)
    expect(await read(at.root, 'b.txt')).toBe('old\n')
    expect((await at.service.find(id)).state).toBe('proposed')
  })

  test('a refusal half-way takes back what was done', async () => {
    const at = await place({ 'a.txt': 'one\n', '.covey/config.toml': 'x = 1\n' })
    const diff =
      '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- a/.covey/config.toml\n+++ b/.covey/config.toml\n@@ -1 +1 @@\n-x = 1\n+x = 2\n'
    await callTool(at.tool, { ...input, diff }, at.context)
    const [proposal] = await at.service.list()

    await expect(at.service.apply(proposal?.id ?? '', never)).rejects.toThrow(
      /\.covey\/config\.toml cannot be written/,
    )
    expect(await read(at.root, 'a.txt')).toBe('one\n')
  })

  test('rejects, and it stays rejected', async () => {
    const at = await place()
    const id = await propose(at)

    expect((await at.service.reject(id)).state).toBe('rejected')
    await expect(at.service.apply(id, never)).rejects.toThrow('was rejected already')
  })

  test('an unknown one is named', async () => {
    const { service } = await place()

    await expect(service.find('zz')).rejects.toThrow('there is no patch "zz"; covey patch ls lists them.')
  })

  test('can apply a patch of a file that holds a secret elsewhere', async () => {
    const at = await place({
      'a.txt': `one\ntwo\nthree\n${'x\n'.repeat(9)}key = AKIAQYLPMN5HHHFPZAM2\n`,
      'b.txt': 'old\n',
    })
    const { files } = createFirewall({ files: at.context.files })
    const id = await propose({ ...at, context: { ...at.context, files } })

    await at.service.apply(id, never)

    expect(await read(at.root, 'a.txt')).toMatch(/^one\n2\nthree\n[^]*AKIAQYLPMN5HHHFPZAM2\n$/)
  })
})

test('a proposal that came with the repository, or was changed since, is none', async () => {
  const here = await place()
  const id = await propose(here)
  const shipped = join(here.root, '.covey', 'patches', 'aaaaaaaaaa')
  await cp(join(here.root, '.covey', 'patches', id), shipped, { recursive: true })

  expect((await here.service.list()).map((proposal) => proposal.id)).toEqual([id])

  await writeFile(join(here.root, '.covey', 'patches', id, 'patch.diff'), '--- a/x\n')
  expect(await here.service.list()).toEqual([])
})
