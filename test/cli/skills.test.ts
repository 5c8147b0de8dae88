/** `covey skills`: what a person does with skills, promoted functions and plugins. */
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSkillsCommand } from '../../src/cli/skills.ts'
import { createExec } from '../../src/guard/exec.ts'
import { openTrust } from '../../src/guard/trust.ts'
import { createSkillsService } from '../../src/skills/service.ts'
import { openSkills, skillFolders } from '../../src/skills/open.ts'
import { tempProject } from '../support/project.ts'
import { TYPESCRIPT } from '../skills/functions.ts'

const skill = (name: string) => `---\nname: ${name}\ndescription: About ${name}\n---\nDo ${name}.\n`

async function person(files: Readonly<Record<string, string>> = {}) {
  const cwd = await tempProject(files)
  const home = await tempProject({ 'config/skills/mine/SKILL.md': skill('mine') })
  const folders = {
    ...skillFolders({ configFolder: join(home, 'config'), dataFolder: join(home, 'data') }, cwd),
    bundled: join(home, 'none'),
  }
  const trust = await openTrust(folders.pins)
  const command = createSkillsCommand(async () =>
    createSkillsService({ folders, trust, openExec: async () => createExec({ cwd }) }),
  )
  return {
    folders,
    trust,
    async covey(...args: readonly string[]) {
      let out = ''
      let err = ''
      const code = await command.run({
        args,
        options: {},
        env: {},
        cwd,
        signal: new AbortController().signal,
        io: {
          out: (text) => void (out += text),
          err: (text) => void (err += text),
          stdin: process.stdin,
          piped: async () => undefined,
          isTty: false,
        },
      })
      return { code, out, err }
    },
  }
}

describe('covey skills', () => {
  test('lists what there is and says what is not trusted', async () => {
    const { covey } = await person({ '.covey/skills/theirs/SKILL.md': skill('theirs') })

    const before = await covey()
    await covey('trust', 'theirs')
    const after = await covey('ls')

    expect(before.out).toBe(
      [
        'mine                  user                  About mine\n',
        'theirs                project               About theirs  not trusted\n',
      ].join(''),
    )
    expect(before.err).toContain('`covey skills trust NAME` makes it count')
    expect(after).toMatchObject({ err: '', out: expect.not.stringContaining('not trusted') as string })
  })

  test('shows and removes', async () => {
    const { covey } = await person({ '.covey/skills/theirs/SKILL.md': skill('theirs') })

    expect((await covey('show', 'mine')).out).toContain('Do mine.')
    await expect(covey('rm', 'theirs')).rejects.toThrow('theirs belongs to the project')
    await covey('rm', 'mine')
    await expect(covey('show', 'mine')).rejects.toThrow('there is no skill "mine"')
    await expect(covey('shwo')).rejects.toThrow('unknown action "shwo"')
    await expect(covey('show')).rejects.toThrow('which one?')
  })

  test('tries a promoted function again, unless it changed', async () => {
    const { covey, folders, trust } = await person()
    const { functions } = await openSkills(folders, trust)
    const { hash, file } = await functions.store.save(
      {
        name: 'word_count',
        description: 'Count words',
        language: 'typescript',
        function: 'countWords',
        parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
      TYPESCRIPT,
    )
    await trust.add(functions.store.pathOf('word_count'), hash)

    const listed = (await covey()).out
    const good = await covey('test', 'word_count')
    await writeFile(join(functions.store.pathOf('word_count'), file), TYPESCRIPT.replace('=> 1', '=> 2'))
    const changed = covey('test', 'word_count')
    await expect(changed).rejects.toThrow('covey skills trust word_count')
    await covey('trust', 'word_count')
    const bad = await covey('test', 'word_count')
    await covey('rm', 'word_count')

    expect(listed).toContain('word_count            function, typescript  Count words\n')
    expect(good).toEqual({ code: 0, out: 'word_count: ok\n', err: '' })
    expect(bad).toMatchObject({
      code: 1,
      err: expect.stringContaining('gave 1, its documentation says 2') as string,
    })
    expect(await readdir(folders.functions)).toEqual([])
  })

  test('adds, lists and removes plugins', async () => {
    const { covey } = await person({ 'plug/plugin.json': '{"name":"plug","description":"Plugs"}' })

    const added = await covey('plugin', 'add', 'plug')
    const listed = await covey('plugin')
    await covey('plugin', 'rm', 'plug')

    expect(added.out).toContain('Added plug')
    expect(listed.out).toBe('plug                  plugin                Plugs\n')
    expect((await covey('plugin', 'ls')).out).toContain('There are no plugins')
    await expect(covey('plugin', 'rm', 'plug')).rejects.toThrow('there is no plugin "plug"')
  })
})
