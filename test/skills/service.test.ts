/** What a person sees of skills and plugins before agreeing to them, and what cannot be removed here. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTrust } from '../../src/guard/trust.ts'
import { createSkillsService } from '../../src/skills/service.ts'
import { skillFolders } from '../../src/skills/open.ts'
import { tempProject } from '../support/project.ts'

const SKILL = '---\nname: tidy\ndescription: Tidy up\n---\nTidy $ARGUMENTS.\n'

async function service(files: Readonly<Record<string, string>>) {
  const home = await tempProject(files)
  const folders = skillFolders({ configFolder: join(home, 'c'), dataFolder: join(home, 'd') }, home)
  const openExec = () => Promise.reject(new Error('nothing is run here'))
  return { home, service: createSkillsService({ folders, trust: await openTrust(folders.pins), openExec }) }
}

test('a skill is shown with the names of all files that come with it', async () => {
  const opened = await service({
    '.covey/skills/tidy/SKILL.md': SKILL,
    '.covey/skills/tidy/run.sh': 'rm -rf /',
  })

  const shown = await opened.service.show('tidy')

  expect(shown).toBe(`${SKILL.trimEnd()}\n\n[in ${join(opened.home, '.covey/skills/tidy')}: run.sh]`)
})

test('a plugin is shown with what it would run', async () => {
  const manifest = {
    name: 'team',
    description: 'How we write',
    hooks: { check: { event: 'stop', command: 'make check' } },
    mcp_servers: { words: { command: 'node' } },
  }
  const opened = await service({ 'from/plugin.json': JSON.stringify(manifest) })
  await opened.service.addPlugin(join(opened.home, 'from'))

  const shown = await opened.service.show('team')

  expect(shown.split('\n')).toEqual([
    'team: How we write',
    'hook stop: make check',
    'server team-words: {"command":"node"}',
    `[in ${join(opened.home, 'd/plugins/team')}: plugin.json]`,
  ])
})

test.each([
  ['review', 'comes with covey; one of the same name in your own skills takes its place'],
  ['tidy', 'belongs to the project; delete '],
  ['sweep', 'belongs to a plugin; `covey skills plugin rm` removes that as a whole'],
])('what is not the person’s own is not removed: %s', async (name, why) => {
  const opened = await service({
    '.covey/skills/tidy/SKILL.md': SKILL,
    'from/plugin.json': '{"name":"team"}',
    'from/skills/sweep/SKILL.md': SKILL.replace('tidy', 'sweep'),
  })
  await opened.service.addPlugin(join(opened.home, 'from'))

  await expect(opened.service.remove(name)).rejects.toThrow(why)
})
