/** What stands above a proposal: what it does, what the guard thinks of it, and which keys there are. */
import { cleanControl } from '../lib/clean.ts'
import type { Effects } from './helper.ts'

const COLOUR = { reads: 32, writes: 33, destroys: 31, 'not known': 33 } as const

export type Proposed = {
  readonly commands: readonly string[]
  readonly effects: readonly Effects[]
  readonly refused: number
  /** Which keys there are. */
  readonly keys?: string
}

export function describeProposals({ commands, effects, refused, keys }: Proposed): readonly string[] {
  const left =
    refused > 0
      ? [dim(`${refused} proposed, not shown here: it could not be placed on one line as it is`)]
      : []
  const [first] = effects
  if (commands.length === 0 || !first) return left
  if (commands.length === 1)
    return [...left, `${toText(first)}${keys === undefined ? '' : dim(` · ${keys}`)}`]
  const rows = commands.map((command, at) => {
    const effect = effects[at]
    return `${dim(`:${at + 1}`)} ${command}  ${effect ? toText(effect) : ''}`
  })
  return [
    ...left,
    ...rows,
    ...(keys === undefined ? [] : [dim(`:1 to :${commands.length} or Up and Down choose · ${keys}`)]),
  ]
}

const toText = ({ does, network, why }: Effects): string => {
  const what = does === 'not known' ? 'effects not known' : does
  return `\u001B[${COLOUR[does]}m${what}${network ? ', uses the network' : ''}\u001B[0m${dim(` (${cleanControl(why).replaceAll(/\s+/g, ' ')})`)}`
}

const dim = (text: string): string => `\u001B[2m${text}\u001B[0m`
