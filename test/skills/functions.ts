/** Functions for tests, and the real sandbox to run them in where there is one. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { openTrust } from '../../src/guard/trust.ts'
import type { Trust } from '../../src/protocol/guard.ts'
import type { Question } from '../../src/protocol/question.ts'
import type { Tool, ToolContext } from '../../src/protocol/tool.ts'
import { skillsEquipment } from '../../src/skills/equipment.ts'
import { openPromotedStore, type PromotedStore } from '../../src/skills/promoted-store.ts'
import { missing, sandboxed } from '../guard/with-sandbox.ts'
import { tempProject, toolContext } from '../support/project.ts'

export const hasPython = spawnSync('python3', ['--version']).status === 0

export const withPython = (title: string): string =>
  hasPython ? title : `${title} (skipped: python3 is not installed)`

export const PYTHON = `from typing import Optional

def count_words(text: str, least: int = 1) -> int:
    """Count the words of a text that have at least so many letters.

    >>> count_words("one two three", least=4)
    1
    """
    return len([word for word in text.split() if len(word) >= least])
`

export const TYPESCRIPT = `/**
 * Counts the words of a text that have at least so many letters.
 *
 * @example
 * countWords('one two three', 4) // => 1
 */
export function countWords(text: string, least: number = 1): number {
  return text.split(' ').filter((word) => word.length >= least).length
}
`

export type Bench = {
  readonly root: string
  readonly context: ToolContext
  readonly asked: Question[]
  readonly store: PromotedStore
  readonly trust: Trust
  /** Of a session that begins now. */
  tools(): Promise<() => readonly Tool[]>
}

type Setting = {
  /** What the person says to every question. */
  readonly answer?: string | (() => never)
  /** In the real sandbox, where there is one. */
  readonly isConfined?: boolean
}

export async function bench(
  files: Readonly<Record<string, string>>,
  { answer = 'yes', isConfined = false }: Setting = {},
): Promise<Bench> {
  const root = await tempProject(files)
  const data = await tempProject()
  const asked: Question[] = []
  const exec = isConfined && missing === undefined ? { exec: await sandboxed(root, { hidden: [data] }) } : {}
  const context = toolContext(root, {
    ...exec,
    ask: async (question) => {
      asked.push(question)
      return typeof answer === 'string' ? answer : answer()
    },
  })
  const store = openPromotedStore(join(data, 'tools'), () => new Date(0))
  const trust = await openTrust(join(data, 'pins.json'))
  return {
    root,
    context,
    asked,
    store,
    trust,
    async tools() {
      const { functions } = await store.load()
      return skillsEquipment({
        skills: [],
        window: 32_000,
        functions: { store, trust, known: functions, confined: async () => context.exec },
        reserved: () => ['read_file', 'run_command'],
      }).tools
    },
  }
}

export const requireTool = (tools: readonly Tool[], name: string): Tool => {
  const found = tools.find((tool) => tool.name === name)
  if (!found) throw new Error(`there is no tool ${name}`)
  return found
}
