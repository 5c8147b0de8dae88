/** What is happening right now, in one value: a face that shows it never looks idle while something is at work. */
import type { ToolItem, View } from './view.ts'
import { defined } from '../lib/object.ts'

export type Life =
  | { readonly kind: 'idle' }
  | { readonly kind: 'asking' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'retry'; readonly why: string; readonly delayMs: number }
  | { readonly kind: 'loading'; readonly share?: number }
  | { readonly kind: 'queued'; readonly position: number }
  | { readonly kind: 'reading'; readonly tokens: number; readonly done?: number; readonly cached?: number }
  | { readonly kind: 'thinking'; readonly characters: number }
  | { readonly kind: 'writing'; readonly characters: number }
  | { readonly kind: 'voting'; readonly answered: number; readonly workers: number }
  | { readonly kind: 'tool'; readonly tool: ToolItem; readonly running: number }
  | { readonly kind: 'subagents'; readonly running: number }

export function lifeOf({ run, open, questions }: View): Life {
  if (questions.length > 0) return { kind: 'asking' }
  if (!run) return { kind: 'idle' }
  const agents = open.subagents.filter(({ state }) => state === 'running').length
  if (agents > 0) return { kind: 'subagents', running: agents }
  const running = open.tools.filter(({ state }) => state === 'running')
  const [tool] = running
  if (tool) return { kind: 'tool', tool, running: running.length }
  const isSilent = open.text === '' && open.reasoning === ''
  if (open.retry && isSilent && open.progress?.stage !== 'loading') return { kind: 'retry', ...open.retry }
  if (open.progress) return beforeWords(open.progress)
  if (open.text !== '') return { kind: 'writing', characters: open.text.length }
  if (open.reasoning !== '') return { kind: 'thinking', characters: open.reasoning.length }
  if (open.vote && !open.vote.report) {
    const { workers } = open.vote
    const answered = workers.filter(({ shows, discarded }) => (shows ?? discarded) !== undefined).length
    return { kind: 'voting', answered, workers: workers.length }
  }
  return { kind: 'starting' }
}

function beforeWords({ stage, done, total, cached }: NonNullable<View['open']['progress']>): Life {
  if (stage === 'queued') return { kind: 'queued', position: done ?? total }
  if (stage === 'loading')
    return { kind: 'loading', ...(done !== undefined && { share: total > 0 ? done / total : 0 }) }
  return {
    kind: 'reading',
    tokens: total,
    ...defined({ done, cached }),
  }
}
