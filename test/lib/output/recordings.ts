/**
 * What real tools printed, with what must be visible of it. `NAME.txt` is the output as it came, `NAME.view.txt` what a
 * model reads of it within 400 tokens.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { cleanOutput } from '../../../src/lib/text.ts'

type Facts = { readonly exit: number; readonly visible: readonly string[] }

export type Recording = Facts & {
  readonly name: string
  /** As run_command passes it on. */
  readonly text: string
}

const folder = new URL('outputs/', import.meta.url)

export const viewPath = (name: string): string => new URL(`${name}.view.txt`, folder).pathname

export function recordings(): readonly Recording[] {
  const facts = JSON.parse(readFileSync(new URL('facts.json', folder), 'utf8')) as Record<string, Facts>
  return Object.entries(facts).map(([name, fact]) => {
    const output = cleanOutput(readFileSync(new URL(`${name}.txt`, folder), 'utf8')).trimEnd()
    return { name, ...fact, text: fact.exit === 0 ? output : `${output}\n[exit ${fact.exit}]` }
  })
}

/** Every recorded file has its facts. */
export const recordedNames = (): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.txt') && !file.endsWith('.view.txt'))
    .map((file) => file.slice(0, -4))
    .toSorted()
