/** How an arm counts, learns about its window and keeps time. */
import { learnWindow } from '../context/budget.ts'
import { createTokenCounter, fixedTokens, messagesTokens } from '../context/count.ts'
import type { ModelRequest } from '../protocol/model.ts'

export function armSizes() {
  const counter = createTokenCounter()
  const countRequest = ({ system, tools, messages }: ModelRequest) =>
    fixedTokens(system, tools, counter.count) + messagesTokens(messages, { count: counter.count })
  return { counter, countRequest, learnWindow, now: () => performance.now() }
}
