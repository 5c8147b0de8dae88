/** Whether the request itself contains everything a call would write, run or change. Pure. */
import { READS } from './mood.ts'
import type { NanoCall } from '../steps/run.ts'

/** The first argument that the request does not contain, by name; nothing when it contains all of them. */
export function notSpelledOut({ input }: NanoCall, request: string): string | undefined {
  const said = normalize(request)
  const isSaid = ([name, value]: [string, unknown]): boolean =>
    typeof value !== 'string' || isNamed(name, value, said)
  return Object.entries(input).find((argument) => !isSaid(argument))?.[0]
}

function isNamed(name: string, value: string, said: string): boolean {
  // A command that only looks may stand for a question: "what changed?" is `git status`.
  if (name === 'command' && READS.test(value)) return true
  if (!PATHS.has(name)) return said.includes(normalize(value))
  const file = value.replace(/\/$/, '').split('/').at(-1) ?? ''
  return said.toLowerCase().includes(file.toLowerCase())
}

const PATHS = new Set(['path', 'from', 'to'])

const normalize = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
