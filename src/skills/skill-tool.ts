/** The model's way to a skill: one line each in the system text, the instructions when it asks for them. */
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import type { Source } from '../protocol/source.ts'
import { defineTool, type Tool } from '../protocol/tool.ts'
import { nearest } from '../lib/nearest.ts'
import { clip, looksBinary } from '../lib/text.ts'
import { instructionsOf } from './expand.ts'
import { readFolder } from './folder-content.ts'
import type { Skill } from './skill.ts'

export const createSkillTool = (skills: readonly Skill[]): Tool =>
  defineTool({
    name: 'skill',
    description: 'Read the instructions of a skill',
    category: 'meta',
    input: z.object({ name: z.string(), args: z.string().optional() }),

    async run({ name, args }) {
      const [head = '', ...rest] = name.trim().replace(/^\//, '').split('/')
      const skill = requireSkill(skills, head)
      return rest.length === 0 ? instructionsOf(skill, args ?? '') : readSkillFile(skill, rest.join('/'))
    },
  })

function requireSkill(skills: readonly Skill[], name: string): Skill {
  const found = skills.find((skill) => skill.name === name.toLowerCase().replaceAll(/[\s_]+/g, '-'))
  if (found) return found
  const names = skills.map((skill) => skill.name)
  const near = nearest(name, names)
  const hint = near ? `did you mean ${near}?` : `there are: ${clip(names.join(', '), 300) || 'none'}.`
  throw new AppError('tool-failed', `There is no skill "${clip(name, 60)}"; ${hint}`, {
    failure: 'bad-arguments',
  })
}

/** Only as it was when the skill was read; the person agreed to that, not to what came later. */
async function readSkillFile({ name, folder, contentHash }: Skill, path: string): Promise<string> {
  const { hash, files } = await readFolder(folder)
  if (hash !== contentHash) {
    throw new AppError(
      'permission-denied',
      `The files of ${name} changed since this session began; start a new one.`,
    )
  }
  const file = files.find((each) => each.path === path)
  if (!file || looksBinary(file.bytes)) {
    const known = files.map((each) => each.path).join(', ')
    throw new AppError(
      'tool-failed',
      `${name} has no text file ${clip(path, 100)}; it has ${clip(known, 300)}.`,
      {
        failure: 'missing-path',
      },
    )
  }
  return file.bytes.toString('utf8')
}

/** In characters; the system text cuts it to its share besides. */
const LIST_LENGTH = 2_000
const LINE_LENGTH = 120

/** One line each: enough to know when to ask for more. */
export const skillSource = (skills: readonly Skill[]): Source => ({
  name: 'skills',
  place: 'frozen',
  async contribute() {
    if (skills.length === 0) return undefined
    const lines: string[] = []
    let length = 0
    for (const { name, description } of skills) {
      const line = `- ${clip(`${name}: ${description}`, LINE_LENGTH)}`
      length += line.length + 1
      if (length > LIST_LENGTH) break
      lines.push(line)
    }
    const left = skills.length - lines.length
    return [
      'Skills, read with the tool skill before such work:',
      ...lines,
      ...(left > 0 ? [`- and ${left} more`] : []),
    ].join('\n')
  },
})
