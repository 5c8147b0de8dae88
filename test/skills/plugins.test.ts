import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openTrust } from '../../src/guard/trust.ts'
import { openSkills, skillFolders } from '../../src/skills/open.ts'
import { addPlugin, removePlugin } from '../../src/skills/plugins.ts'
import { tempProject } from '../support/project.ts'

const MANIFEST = `name = "team-style"
description = "How this team writes"

[hooks.check]
event = "pre_tool_use"
tool = "write_*"
command = "\${plugin}/check.sh --fast"
timeout_s = 5

[hooks.review]
event = "stop"
type = "prompt"
prompt = "Is it tidy?"
fail_open = true

[mcp_servers.dictionary]
command = "node"
args = ["\${plugin}/server.js", "--words"]
env = { HOME_OF = "\${plugin}" }
`

const FILES = {
  'plugin.toml': MANIFEST,
  'check.sh': '#!/bin/sh\nexit 0\n',
  'server.js': '',
  'skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidy up\n---\nTidy $ARGUMENTS.\n',
}

async function person(files: Readonly<Record<string, string>> = FILES) {
  const from = await tempProject(files)
  const home = await tempProject()
  const folders = skillFolders(
    { configFolder: join(home, 'config'), dataFolder: join(home, "it's data") },
    home,
  )
  const trust = await openTrust(folders.pins)
  const shelf = { folder: folders.plugins, trust }
  return {
    from,
    folders,
    trust,
    shelf,
    open: () => openSkills({ ...folders, bundled: join(home, 'none') }, trust),
  }
}

describe('a plugin', () => {
  test('brings skills, hooks and servers once it was added', async () => {
    const { from, shelf, open, folders } = await person()
    await chmod(join(from, 'check.sh'), 0o755)

    const before = await open()
    await addPlugin(from, shelf)
    const after = await open()

    const place = join(folders.plugins, 'team-style')
    expect([before.skills, before.hooks, before.mcpServers]).toEqual([[], [], {}])
    expect(after.skills.map(({ name, place: from }) => [name, from])).toEqual([['tidy', 'plugin']])
    expect(after.hooks).toEqual([
      {
        name: 'team-style/check',
        event: 'pre_tool_use',
        tool: 'write_*',
        type: 'command',
        command: `'${place.replaceAll("'", `'\\''`)}'/check.sh --fast`,
        timeoutMs: 5_000,
        failOpen: false,
      },
      {
        name: 'team-style/review',
        event: 'stop',
        type: 'prompt',
        prompt: 'Is it tidy?',
        timeoutMs: 30_000,
        failOpen: true,
      },
    ])
    expect(after.mcpServers).toEqual({
      'team-style-dictionary': {
        command: 'node',
        args: [`${place}/server.js`, '--words'],
        env: { HOME_OF: place },
      },
    })
    expect((await stat(join(place, 'check.sh'))).mode & 0o111).not.toBe(0)
    expect(after.warnings).toEqual([])
  })

  test.each(Object.keys(FILES))(
    'is left out whole once %s changed, until a person agrees again',
    async (file) => {
      const { from, shelf, open, trust } = await person()
      const { folder } = await addPlugin(from, shelf)
      const text = await readFile(join(folder, file), 'utf8')
      await writeFile(join(folder, file), `${text}\n`)

      const changed = await open()
      await trust.add(folder, changed.changedPlugins[0]!.contentHash)
      const agreed = await open()

      expect([changed.skills, changed.hooks, changed.mcpServers]).toEqual([[], [], {}])
      expect(changed.warnings).toEqual([expect.stringContaining('covey skills trust team-style')])
      expect(agreed.plugins).toHaveLength(1)
    },
  )

  test('that becomes executable has changed, too', async () => {
    const { from, shelf, open } = await person()
    const { folder } = await addPlugin(from, shelf)

    await chmod(join(folder, 'server.js'), 0o755)

    expect((await open()).plugins).toEqual([])
  })

  test('is replaced by adding it again, and gone when removed', async () => {
    const { from, shelf, open } = await person()
    await addPlugin(from, shelf)
    await writeFile(join(from, 'plugin.toml'), 'name = "team-style"\ndescription = "new"\n')

    await addPlugin(from, shelf)
    const replaced = await open()
    const removed = await removePlugin('team-style', shelf)

    expect(replaced.plugins).toMatchObject([{ description: 'new', hooks: [] }])
    expect([removed, (await open()).plugins, await removePlugin('team-style', shelf)]).toEqual([
      true,
      [],
      false,
    ])
  })

  test('that is not there is not added', async () => {
    const { from, shelf } = await person()

    for (const nowhere of [join(from, 'nowhere'), join(from, 'plugin.toml')])
      await expect(addPlugin(nowhere, shelf)).rejects.toMatchObject({
        code: 'config-invalid',
        message: `${nowhere} is not a directory; pass the plugin's directory.`,
      })
  })

  test('stays as it was where the new one cannot take its place, and nothing is left lying about', async () => {
    const { from, shelf, open, folders } = await person()
    await addPlugin(from, shelf)
    // As long as a path may be; where plugins lie it would be longer.
    let deep = from
    while (deep.length < 3_880) deep = join(deep, 'x'.repeat(200))
    await mkdir(deep, { recursive: true })
    await writeFile(join(deep, 'y'.repeat(4_085 - deep.length - 1)), '')

    await expect(addPlugin(from, shelf)).rejects.toMatchObject({ code: 'storage-failed' })

    expect((await open()).plugins).toMatchObject([{ name: 'team-style' }])
    expect((await readdir(folders.plugins)).filter((name) => name.startsWith('.team'))).toEqual([])
  })

  test('may have a manifest in JSON', async () => {
    const { from, shelf } = await person({ 'plugin.json': '{"name":"small"}' })

    expect(await addPlugin(from, shelf)).toMatchObject({ name: 'small', hooks: [], mcpServers: {} })
  })

  test.each([
    ['no manifest', {}, 'has neither plugin.toml nor plugin.json'],
    ['no name', { 'plugin.json': '{}' }, 'name '],
    ['a name that leaves its folder', { 'plugin.json': '{"name":"../x"}' }, 'must be lower-case words'],
    ['an unknown key', { 'plugin.toml': 'name = "a"\nhook = 1\n' }, 'hook'],
    [
      'a hook without a command',
      { 'plugin.toml': 'name = "a"\n[hooks.x]\nevent = "stop"\n' },
      'needs `command`',
    ],
  ])('with %s is not added', async (_, files, problem) => {
    const { from, shelf, open } = await person(files)

    await expect(addPlugin(from, shelf)).rejects.toThrow(problem)
    expect((await open()).plugins).toEqual([])
  })
})
