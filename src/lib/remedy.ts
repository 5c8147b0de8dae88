/** What would allow a call that was not made, in words: the one flag or rule, or why there is none. */
import type { Remedy, Rule } from '../protocol/guard.ts'

/** `start` is the command that takes the flag, where it is not the one the person has just typed. */
export function remedyText({ mode, rule, otherwise }: Remedy, start = ''): string {
  const flag =
    mode === undefined ? [] : [start === '' ? `--permission ${mode}` : `\`${start} --permission ${mode}\``]
  const rules = rule === undefined ? [] : [`the rule ${ruleLine(rule)} in [[permission.rules]]`]
  const ways = [...flag, ...rules]
  const allowed = ways.length === 0 ? [] : [`The person can allow it with ${ways.join(' or ')}.`]
  return [...(otherwise === undefined ? [] : [otherwise]), ...allowed].join(' ')
}

const ruleLine = ({ tool, pattern, verdict }: Rule): string => {
  const pairs = Object.entries({ tool, pattern, verdict }).filter(([, value]) => value !== undefined)
  return `{ ${pairs.map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join(', ')} }`
}
