/**
 * The reply is nothing but a piece of what the model was just given: a result, or the prompt. Where the person asked to be
 * shown a text, or all that was asked for is done, a quote is an answer; and so is a short one, like a number.
 */
import type { ReplyDetector } from './detector.ts'

const SHORTEST = 24
/** Where nothing is known to be missing, only a long quote is surely no answer. */
const LONG = 160

export const quotedBack: ReplyDetector = ({ text }, { prompt, results, due, demands, mayAct }) => {
  const reply = flat(text)
  const isMissing = due.missing.length > 0
  if (!mayAct || reply.length < SHORTEST) return undefined
  const ofResult = results.some((result) => flat(result).includes(reply))
  const isAnswer = demands.show || demands.change || demands.run || demands.commands.length > 0
  if (ofResult && (isMissing || (!isAnswer && reply.length >= LONG))) return toFinding('the last result')
  const words = flat(prompt)
  const ofPrompt = words.includes(reply) && reply.length >= words.length * 0.6
  return ofPrompt && (isMissing || !demands.show) ? toFinding('the task') : undefined
}

/** White space and the line numbers of a page aside. */
const flat = (text: string): string =>
  text
    .replaceAll(/^\s*\d+[\t|:]\s?/gm, '')
    .replaceAll(/^```\w*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

const toFinding = (what: string) => ({
  detector: 'quoted-back',
  note: `You only repeated ${what}. Take the next step with a tool call, or answer in your own words.`,
  otherwise: `Repeating ${what} does nothing. Which tool takes the task further? Call it now.`,
  isVoid: true,
})
