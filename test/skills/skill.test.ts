import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { openTrust } from '../../src/guard/trust.ts'
import { toToolSchema } from '../../src/lib/schema.ts'
import { skillsEquipment } from '../../src/skills/equipment.ts'
import { expandSkill } from '../../src/skills/expand.ts'
import { loadSkills, type SkillFolder } from '../../src/skills/load.ts'
import { openSkills, skillFolders } from '../../src/skills/open.ts'
import { parseSkill, type Skill } from '../../src/skills/skill.ts'
import { callTool } from '../tools/call.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { bench } from './functions.ts'

const SOURCE = { place: 'user', folder: '/skills/a', contentHash: '0', files: [] } as const

const text = (name: string, more = '', body = `Do ${name}.`) =>
  `---\nname: ${name}\ndescription: About ${name}\n${more}---\n\n${body}\n`

describe('a skill', () => {
  test('says what it is and what may be used', () => {
    const more =
      'allowed-tools: Read, Grep Bash(git log:*, git diff:*) plan\npaths: [src/**, ./docs/, a.md]\n'

    expect(parseSkill(text('a', more), SOURCE)).toEqual({
      name: 'a',
      description: 'About a',
      ...SOURCE,
      body: 'Do a.',
      allowedTools: ['read_file', 'search_text', 'plan'],
      allowedPaths: ['src', 'docs', 'a.md'],
    })
  })

  test.each([
    ['no name', '---\ndescription: d\n---\nx', '`name` must be'],
    ['a name with a slash', '---\nname: a/b\ndescription: d\n---\nx', '`name` must be'],
    ['no description', '---\nname: a\n---\nx', '`description` is missing'],
    ['no body', '---\nname: a\ndescription: d\n---\n', 'no instructions'],
    ['paths that cannot be enforced', text('a', 'paths: [src/*.ts]\n'), '`paths` has "src/*.ts"'],
    ['paths outside', text('a', 'paths: [../x]\n'), '`paths` has "../x"'],
    ['paths that are everything', text('a', 'paths: [./]\n'), '`paths` has "./"'],
    ['very many instructions', text('a', '', 'x'.repeat(300_000)), 'over 256 kB'],
    [
      'a head that is no head',
      text('a', `allowed-tools: ${'a('.repeat(20_000)}\n`),
      'its head is over 16 kB',
    ],
    ['a switch for tools', text('a', 'allowed-tools: true\n'), 'are lists of names'],
  ])('with %s is refused', (_, file, problem) => {
    expect(() => parseSkill(file, SOURCE)).toThrow(problem)
  })
})

test.each([
  ['Read Bash(git log', ['read_file']],
  ['Bash(a) Read(src/**), plan', ['plan']],
  [`${'a '.repeat(7_000)}plan`, ['a', 'plan']],
])('of the tools %s only those are allowed that are allowed whole', (tools, allowedTools) => {
  expect(parseSkill(text('a', `allowed-tools: ${tools}\n`), SOURCE).allowedTools).toEqual(allowedTools)
})

const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
  name,
  description: `About ${name}`,
  body: `Do ${name}.`,
  ...SOURCE,
  ...more,
})

describe('/name', () => {
  test('becomes the instructions, with the arguments and the limits', () => {
    const fix = skill('fix', {
      body: 'Fix $ARGUMENTS now.',
      allowedTools: ['read_file'],
      allowedPaths: ['src'],
    })

    expect(expandSkill(' /fix the $& bug', [fix])).toEqual({
      prompt: 'Fix the $& bug now.',
      limits: { allowedTools: ['read_file'], allowedPaths: ['src'] },
    })
  })

  test('puts the arguments behind instructions that have no place for them', () => {
    expect(expandSkill('/fix it\nall', [skill('fix')])?.prompt).toBe('Do fix.\n\nArguments: it\nall')
    expect(expandSkill('/fix', [skill('fix')])?.prompt).toBe('Do fix.')
  })

  test.each(['/other x', 'fix', 'say /fix', '/fixes', '/usr/bin/fix'])('leaves %s as it is', (prompt) => {
    expect(expandSkill(prompt, [skill('fix')])).toBeUndefined()
  })
})

async function places(skills: Readonly<Record<string, string>>) {
  const root = await tempProject(skills)
  const folders = (['bundled', 'user', 'plugin', 'project'] as const).map((place): SkillFolder => ({
    place,
    folder: join(root, place),
  }))
  return { root, folders, trust: await openTrust(join(await tempProject(), 'pins.json')) }
}

describe('skills are found', () => {
  test('in four places, the nearest of a name counts', async () => {
    const { folders, trust, root } = await places({
      'bundled/a/SKILL.md': text('a', '', 'bundled'),
      'bundled/b/SKILL.md': text('b', '', 'bundled'),
      'user/a/SKILL.md': text('a', '', 'user'),
      'plugin/a/SKILL.md': text('a', '', 'plugin'),
      'project/a/SKILL.md': text('a', '', 'project'),
      'user/no-skill/README.md': 'nothing',
    })

    const before = await loadSkills(folders, trust)
    await trust.add(join(root, 'project', 'a'), before.untrusted[0]!.contentHash)
    const after = await loadSkills(folders, trust)

    const found = ({ skills }: typeof before) => skills.map(({ name, body }) => [name, body])
    expect(found(before)).toEqual([
      ['a', 'plugin'],
      ['b', 'bundled'],
    ])
    expect(before.warnings).toEqual([expect.stringContaining('not trusted in their present form: a.')])
    expect(found(after)).toEqual([
      ['a', 'project'],
      ['b', 'bundled'],
    ])
    expect(after.warnings).toEqual([])
  })

  test.each([
    ['its text', 'SKILL.md', text('a', '', 'something else')],
    ['a file beside it', 'script.py', 'print(2)'],
    ['a new file', 'new.md', 'x'],
  ])('a project skill does not count once %s changed', async (_, file, content) => {
    const { folders, trust, root } = await places({
      'project/a/SKILL.md': text('a'),
      'project/a/script.py': 'print(1)',
    })
    const { untrusted } = await loadSkills(folders, trust)
    await trust.add(join(root, 'project', 'a'), untrusted[0]!.contentHash)

    await writeFile(join(root, 'project', 'a', file), content)

    expect((await loadSkills(folders, trust)).skills).toEqual([])
  })

  test('and what is wrong does not stop the others', async () => {
    const { folders, trust, root } = await places({
      'user/good/SKILL.md': text('good'),
      'user/bad/SKILL.md': 'no head',
      'user/linked/SKILL.md': text('linked'),
    })
    await symlink('/etc/passwd', join(root, 'user', 'linked', 'file'))
    await mkdir(join(root, 'user', '.hidden'))

    const { skills, warnings } = await loadSkills(folders, trust)

    expect(skills.map(({ name }) => name)).toEqual(['good'])
    expect(warnings).toEqual([
      expect.stringMatching(/user\/bad is left out: line 1: it must begin/),
      expect.stringMatching(/user\/linked is left out: .*file is a link/),
    ])
  })

  test('a folder without end is not walked to its end', async () => {
    const { folders, trust, root } = await places({})
    const deep = join(root, 'project', 'a')
    for (let count = 0; count < 520; count++) await mkdir(join(deep, `${count}`), { recursive: true })

    const { warnings } = await loadSkills(folders, trust)

    expect(warnings).toEqual([expect.stringContaining('over 500 files or 10 MiB')])
  })

  test('what a warning quotes cannot reach the terminal', async () => {
    const home = await tempProject({ '.covey/skills/a\u001b[2J/SKILL.md': '---\nname: "\u001b[31m\n---\n' })
    const folders = skillFolders({ configFolder: join(home, 'c'), dataFolder: join(home, 'd') }, home)

    const { warnings } = await openSkills(folders, await openTrust(folders.pins))

    expect(warnings).toEqual([expect.stringContaining('is left out: line 2')])
    expect(warnings.join('')).not.toContain('\u001b')
  })

  test.each(['plugins', 'functions', 'user'] as const)(
    'with %s that cannot be read the rest works',
    async (part) => {
      const home = await tempProject({ loop: '' })
      const folders = skillFolders({ configFolder: join(home, 'c'), dataFolder: join(home, 'd') }, home)
      const looped = join(home, 'looped')
      await symlink(looped, looped)

      const { skills, warnings } = await openSkills(
        { ...folders, [part]: looped },
        await openTrust(folders.pins),
      )

      expect(skills).toHaveLength(5)
      expect(warnings).toEqual([expect.stringContaining(`Cannot use ${looped}`)])
    },
  )

  test('those that come with covey are sound, and their list is small', async () => {
    const home = await tempProject()
    const folders = skillFolders({ configFolder: join(home, 'c'), dataFolder: join(home, 'd') }, home)

    const { skills, warnings } = await openSkills(folders, await openTrust(folders.pins))
    const [source] = skillsEquipment({ skills, window: 32_000, reserved: () => [] }).sources

    expect(skills.map(({ name }) => name)).toEqual([
      'fix-tests',
      'init',
      'make-tool',
      'review',
      'write-tests',
    ])
    expect(warnings).toEqual([])
    expect(encode((await source!.contribute('')) ?? '').length).toBeLessThanOrEqual(100)
  })
})

describe('the tool', () => {
  const use = async (skills: readonly Skill[], input: object) => {
    const [tool] = skillsEquipment({ skills, window: 32_000, reserved: () => [] }).tools()
    return (await callTool(tool!, input, toolContext(await tempProject()))).text
  }

  test('gives the instructions of a skill', async () => {
    expect(await use([skill('fix-it')], { name: '/Fix_It', args: 'now' })).toBe(
      'Do fix-it.\n\nArguments: now',
    )
  })

  test('says which there are', async () => {
    await expect(use([skill('review')], { name: 'reviw' })).rejects.toThrow('did you mean review?')
    await expect(use([skill('review')], { name: 'x' })).rejects.toThrow('there are: review.')
  })

  test('reads the other files of a skill, as they were when it was loaded', async () => {
    const { folders, trust, root } = await places({
      'user/a/SKILL.md': text('a'),
      'user/a/docs/more.md': 'More.',
    })
    const { skills } = await loadSkills(folders, trust)

    expect(await use(skills, { name: 'a' })).toContain('[files of this skill: docs/more.md;')
    expect(await use(skills, { name: 'a/docs/more.md' })).toBe('More.')
    await expect(use(skills, { name: 'a/../../x' })).rejects.toThrow('has no text file ../../x')
    await writeFile(join(root, 'user/a/docs/more.md'), 'Other.')
    await expect(use(skills, { name: 'a/docs/more.md' })).rejects.toMatchObject({ code: 'permission-denied' })
  })

  test('is not there without skills, and is cheap', async () => {
    const { store, trust } = await bench({})
    const all = skillsEquipment({
      skills: [skill('a')],
      window: 32_000,
      functions: { store, trust, known: [], confined: () => Promise.reject(new Error('not asked for')) },
      reserved: () => [],
    })

    const costs = all
      .tools()
      .map((tool) => [
        tool.name,
        encode(JSON.stringify({ type: 'function', function: toToolSchema(tool) })).length,
      ])

    expect(skillsEquipment({ skills: [], window: 32_000, reserved: () => [] }).tools()).toEqual([])
    expect(costs).toEqual([
      ['skill', 48],
      ['promote_skill', 60],
    ])
  })
})

describe('the list', () => {
  const list = (skills: readonly Skill[]) =>
    skillsEquipment({ skills, window: 32_000, reserved: () => [] }).sources[0]!.contribute('')

  test('has one line for each', async () => {
    expect(await list([skill('a'), skill('b')])).toBe(
      'Skills, read with the tool skill before such work:\n- a: About a\n- b: About b',
    )
    expect(await list([])).toBeUndefined()
  })

  test('stays small with very many', async () => {
    const many = Array.from({ length: 200 }, (_, index) =>
      skill(`s${index}`, { description: 'x'.repeat(1000) }),
    )

    const shown = (await list(many)) ?? ''

    expect(shown.length).toBeLessThan(2_200)
    expect(shown).toMatch(/- and \d+ more$/)
  })
})
