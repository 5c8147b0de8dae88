/** What skills bring to a session: their list, the tool that reads one, and the functions that became tools. */
import type { Equipment } from '../protocol/equipment.ts'
import type { Tool } from '../protocol/tool.ts'
import { expandSkill } from './expand.ts'
import { createPromoteTool } from './promote-tool.ts'
import type { Promoted } from './promoted-store.ts'
import { createPromotedTool, type PromotedParts } from './promoted-tool.ts'
import type { Skill } from './skill.ts'
import { createSkillTool, skillSource } from './skill-tool.ts'
import { SMALL_WINDOW } from '../protocol/token-limits.ts'

export type SkillsParts = {
  readonly skills: readonly Skill[]
  /** Of the arm that would answer now. */
  readonly window: number
  /** Absent where nothing may be kept: then functions are neither promoted nor called. */
  readonly functions?: PromotedParts & { readonly known: readonly Promoted[] }
  /** Names of the tools that no promoted function may take. */
  reserved(): readonly string[]
}

export function skillsEquipment({ skills, window, functions, reserved }: SkillsParts): Equipment {
  const promoted = new Map<string, Tool>()
  const fixed: Tool[] = skills.length > 0 ? [createSkillTool(skills)] : []
  const own = ['skill', 'promote_skill']
  if (functions) {
    const add = (one: Promoted) => void promoted.set(one.name, createPromotedTool(one, functions))
    const taken = new Set([...reserved(), ...own])
    for (const one of functions.known) if (!taken.has(one.name)) add(one)
    fixed.push(
      createPromoteTool({
        ...functions,
        reserved: () => [...reserved(), ...own],
        promoted: () => [...promoted.keys()],
        onPromoted: add,
      }),
    )
  }
  return {
    tools: () => [...fixed, ...promoted.values()],
    // In a small window the list holds only the user's skills; the others are still found by name.
    sources: [
      skillSource(window > SMALL_WINDOW ? skills : skills.filter(({ place }) => place !== 'bundled')),
    ],
    expand: (prompt) => expandSkill(prompt, skills),
    close: async () => {},
  }
}
