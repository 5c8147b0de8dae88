/** What fills the window: who wrote how much of it, as a bar and a list. Counts are estimates but for the total. */
import type { Message } from '../protocol/message.ts'
import type { Status } from '../view/view.ts'
import { blue, bold, cyan, dim, green, magenta, yellow } from './theme.ts'
import { fit, thousands } from './text.ts'

const tokensOf = (text: string): number => Math.ceil(text.length / 4)

export function drawContext(
  history: readonly Message[],
  { usage, window = 0 }: Status,
  width: number,
): readonly string[] {
  const sums = { yours: 0, answers: 0, results: 0 }
  for (const message of history) {
    if (message.role === 'user') sums.yours += tokensOf(message.text)
    else if (message.role === 'tool') sums.results += tokensOf(message.text)
    else
      sums.answers +=
        tokensOf(message.text) + message.calls.reduce((sum, { input }) => sum + tokensOf(input), 0)
  }
  const said = sums.yours + sums.answers + sums.results
  const total = usage ? usage.prompt + usage.completion : said
  const rows = [
    { name: 'system and tools', tokens: Math.max(0, total - said), paint: magenta },
    { name: 'your messages', tokens: sums.yours, paint: cyan },
    { name: 'answers and calls', tokens: sums.answers, paint: green },
    { name: 'results of tools', tokens: sums.results, paint: yellow },
    { name: 'free', tokens: Math.max(0, window - total), paint: dim },
  ]
  const room = Math.max(10, Math.min(60, width - 2))
  const whole = Math.max(1, window || total)
  const bar = rows.map(({ tokens, paint }) => paint('█'.repeat(Math.round((tokens / whole) * room)))).join('')
  const lines = rows.map(
    ({ name, tokens, paint }) =>
      `  ${paint('█')} ${name.padEnd(18)} ${thousands(tokens).padStart(6)}  ${Math.round((tokens / whole) * 100)} %`,
  )
  const head = `${bold('Context')} ${thousands(total)} of ${window ? thousands(window) : 'an unknown window'}${usage?.cached ? blue(`, ${thousands(usage.cached)} from cache`) : ''}`
  return ['', head, `  ${bar}`, ...lines].map((line) => fit(line, width))
}
