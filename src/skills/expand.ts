/** `/name args` as a prompt: the skill's instructions in its place, and the limits its run is held to. */
import type { Expansion } from '../protocol/equipment.ts'
import type { Skill } from './skill.ts'
import { defined } from '../lib/object.ts'

/** Nothing where the prompt names no skill. */
export function expandSkill(prompt: string, skills: readonly Skill[]): Expansion | undefined {
  const [, name, args = ''] = /^\s*\/([a-z0-9-]+)(?:\s+([\s\S]*))?$/.exec(prompt) ?? []
  const skill = skills.find((each) => each.name === name)
  if (!skill) return undefined
  const { allowedTools, allowedPaths } = skill
  return {
    prompt: instructionsOf(skill, args.trim()),
    limits: { ...defined({ allowedTools, allowedPaths }) },
  }
}

/** `$ARGUMENTS` is where the arguments go; without it they follow. */
export function instructionsOf({ name, body, files }: Skill, args: string): string {
  const filled = body.includes('$ARGUMENTS')
    ? body.replaceAll('$ARGUMENTS', () => args)
    : [body, ...(args === '' ? [] : [`Arguments: ${args}`])].join('\n\n')
  if (files.length === 0) return filled
  const listed = files.slice(0, MAX_LISTED).join(', ')
  return `${filled}\n\n[files of this skill: ${listed}; the tool skill reads one, as "${name}/${files[0]}"]`
}

const MAX_LISTED = 20
