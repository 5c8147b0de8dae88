/**
 * Finds the skills of all places. One that is wrong or not trusted is left out and named; it never keeps the others
 * from working. What a project brings counts only if a person agreed to exactly these files.
 */
import { join } from 'node:path'
import { errorMessage } from '../protocol/error.ts'
import type { Trust } from '../protocol/guard.ts'
import { foldersIn, readFolder } from './folder-content.ts'
import { parseSkill, type Skill, type SkillOrigin, skillOrigins } from './skill.ts'

export type SkillFolder = { readonly place: SkillOrigin; readonly folder: string }

export type LoadedSkills = {
  readonly skills: readonly Skill[]
  /** Of a project, not agreed to in their present form. */
  readonly untrusted: readonly Skill[]
  readonly warnings: readonly string[]
}

/** Each folder holds one folder per skill. */
export async function loadSkills(
  folders: readonly SkillFolder[],
  trust: Pick<Trust, 'isTrusted'>,
): Promise<LoadedSkills> {
  const warnings: string[] = []
  const skills = new Map<string, Skill>()
  const untrusted: Skill[] = []
  for (const { place, folder } of folders.toSorted(byOrigin)) {
    for (const skill of await skillsIn(place, folder, warnings)) {
      if (place === 'project' && !trust.isTrusted(skill.folder, skill.contentHash)) untrusted.push(skill)
      else skills.set(skill.name, skill)
    }
  }
  if (untrusted.length > 0) warnings.push(untrustedWarning(untrusted))
  return { skills: [...skills.values()].toSorted(byName), untrusted, warnings }
}

const byOrigin = (a: SkillFolder, b: SkillFolder): number =>
  skillOrigins.indexOf(a.place) - skillOrigins.indexOf(b.place)
const byName = (a: Skill, b: Skill): number => (a.name < b.name ? -1 : 1)

const untrustedWarning = (skills: readonly Skill[]): string =>
  `this project brings skills that are not trusted in their present form: ${skills
    .map(({ name }) => name)
    .join(', ')}. \`covey skills show NAME\` shows one, \`covey skills trust NAME\` makes it count.`

const MAX_SKILLS = 200

async function skillsIn(place: SkillOrigin, folder: string, warnings: string[]): Promise<readonly Skill[]> {
  const names = await foldersIn(folder).catch((error: unknown) => {
    warnings.push(`skills cannot be read: ${errorMessage(error)}`)
    return []
  })
  if (names.length > MAX_SKILLS)
    warnings.push(`${folder} holds more than ${MAX_SKILLS} skills; the rest is left out.`)
  const skills: Skill[] = []
  // One after the other: these files are untrusted, and all of them at once could fill the memory.
  for (const name of names.slice(0, MAX_SKILLS)) {
    try {
      skills.push(...(await loadSkill(place, join(folder, name))))
    } catch (error) {
      warnings.push(`the skill in ${join(folder, name)} is left out: ${errorMessage(error)}.`)
    }
  }
  return skills
}

/** Nothing where the folder has no SKILL.md. */
async function loadSkill(place: SkillOrigin, folder: string): Promise<readonly Skill[]> {
  const { hash, files } = await readFolder(folder)
  const others = files.flatMap(({ path }) => (path === 'SKILL.md' ? [] : [path]))
  return files
    .filter(({ path }) => path === 'SKILL.md')
    .map(({ bytes }) =>
      parseSkill(bytes.toString('utf8'), { place, folder, contentHash: hash, files: others }),
    )
}
