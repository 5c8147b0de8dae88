/** Commands that a clause spells, from a word that is a program to every end behind it. Pure. */
import { boundaries } from '../request/spans.ts'
import type { Command, CommandAsk } from './ask.ts'
import { isProgram, isTyped } from './programs.ts'
import { withRunner } from './runner.ts'
import { wordsIn } from '../opinion/tokens.ts'

const MOST_WORDS = 24
const NONE: ReadonlySet<string> = new Set()

/** Behind such a word anything may be a program. */
const ORDERS = /\b(?:run|execute|exec|type|launch)\s+["'`]?$/i
/** So is a word with a flag behind it, or the path of a file without an ending. */
const FLAGGED = /^[a-z][\w-]+\s+--?[a-z]/
const BUILT = /^(?:\.\/)?(?:build|bin|dist|out|target|vendor\/bin)\/[\w-]+$/

export function saidCommands({ clause, project }: CommandAsk): Command[] {
  const { starts, ends } = boundaries(clause)
  const found: Command[] = []
  for (const start of starts) {
    const [first = ''] = /^[^\s,;:"'`)]+/.exec(clause.slice(start)) ?? []
    const isOrdered = ORDERS.test(clause.slice(0, start)) && /^[a-z][\w.-]*$/.test(first)
    const isKnown = isProgram(first) || isProgram(first.toLowerCase())
    if (!isOrdered && !isKnown && !FLAGGED.test(clause.slice(start)) && !BUILT.test(first)) continue
    for (const end of ends) {
      const text = clause.slice(start, end)
      if (end < start + first.length || PIPED.test(clause.slice(end))) continue
      if (text.includes('\n') || text.split(/\s+/).length > MOST_WORDS) break
      const resolved = withRunner(text, project)
      found.push({
        command: resolved ?? text,
        source: 'said',
        label: wordsIn(text),
        about: NONE,
        isKnown: isProgram(first),
        span: { start, end },
        marks: [
          `typed:${isTyped(text, project)}`,
          `typed:${isTyped(text, project)} program:${isProgram(first) ? first : '?'}`,
          `resolved:${resolved !== undefined}`,
        ],
      })
    }
  }
  return found
}

/** The command goes on. */
const PIPED = /^\s*(?:\||>|<|2>|&&)/
