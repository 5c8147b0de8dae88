/** How an arm counts, learns about its window and keeps time. */
import { learnWindow } from '../context/budget.ts'
import { type CountTokens, createTokenCounter, fixedTokens, messagesTokens } from '../context/count.ts'
import { defined } from '../lib/object.ts'
import type { ModelRequest } from '../protocol/model.ts'

/** `estimate`: how the arm itself counts, as far as it can tell at once. */
export function armSizes(estimate?: CountTokens) {
  const counter = createTokenCounter(defined({ estimate }))
  const countRequest = ({ system, tools, messages }: ModelRequest) =>
    fixedTokens(system, tools, counter.count) + messagesTokens(messages, { count: counter.count })
  return { counter, countRequest, learnWindow, now: () => performance.now() }
}
