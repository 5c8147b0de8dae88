/**
 * One event more. Pure: the same events give the same View, wherever they are cut and however a reply came in pieces. What
 * the session's log does not keep (pieces of text, live output) is held in `open`; `pieces.ts` writes it down again.
 */
import type { SessionEvent } from '../protocol/event.ts'
import { describeCompaction, describeProposal, endItem, isShownEnd } from './describe.ts'
import { endSubagent, startSubagent, stepSubagent } from './subagents.ts'
import { addDiff, addOutput, answerTool, endTool, startTool, unfinished } from './tools.ts'
import { closedTurn, emptyView, type Item, type NoteItem, type OpenTurn, type View } from './view.ts'
import { takeVote } from './votes.ts'

export const viewOf = (events: Iterable<SessionEvent>): View => {
  let view = emptyView
  for (const event of events) view = reduceView(view, event)
  return view
}

export function reduceView(view: View, event: SessionEvent): View {
  // A page may be older than its server: what it does not know is left out.
  const next = reducers[event.type] as ((view: View, event: SessionEvent) => View) | undefined
  return { ...(next?.(view, event) ?? view), lastEventId: Math.max(view.lastEventId, event.id) }
}

type Reducers = {
  readonly [Type in SessionEvent['type']]: (view: View, event: Extract<SessionEvent, { type: Type }>) => View
}

const reducers: Reducers = {
  'prompt-queue': (view, { runId, prompt }) => ({ ...view, queue: [...view.queue, { runId, prompt }] }),
  'run-start': (view, { runId, prompt }) => ({
    ...withItems(unqueued(view, runId), { kind: 'prompt', text: prompt }),
    run: { runId, turn: 0 },
    open: closedTurn,
    questions: [],
  }),
  'turn-start': (view, { turn }) => (view.run ? { ...view, run: { ...view.run, turn } } : view),
  routing: (view, { arm, why, window }) => ({ ...view, status: { ...view.status, arm, why, window } }),
  classification: (view) => view,
  'text-delta': (view, { text }) => opened(begun(view), { text: view.open.text + text }),
  'reasoning-delta': (view, { text }) => opened(begun(view), { reasoning: view.open.reasoning + text }),
  'reply-restart': (view, { why }) => opened(asked(view), { text: '', reasoning: '', again: why }),
  progress: (view, event) => {
    const { id: _, ...progress } = event
    return opened(view, { progress })
  },
  retry: (view, { why, delayMs }) => opened(begun(view), { retry: { why, delayMs } }),
  'tool-start': (view, { call, title }) =>
    opened(asked(view), { tools: startTool(view.open.tools, call, title) }),
  'tool-diff': (view, { callId, files }) => opened(view, { tools: addDiff(view.open.tools, callId, files) }),
  'tool-output': (view, { callId, text }) =>
    opened(view, { tools: addOutput(view.open.tools, callId, text) }),
  'tool-end': (view, event) => opened(view, { tools: endTool(view.open.tools, event) }),
  'permission-ask': (view, { askId, call, access, why, always, secrets = [] }) => ({
    ...view,
    questions: [
      ...view.questions,
      {
        kind: 'permission',
        askId,
        callId: call.id,
        name: call.name,
        access,
        why,
        ...(always && { always }),
        secrets,
        diff: unfinished(view.open.tools, call.id)?.diff ?? [],
      },
    ],
  }),
  'permission-answer': (view, { askId, answer }) => {
    const asked = view.questions.find((question) => question.askId === askId)
    const tools =
      asked?.kind === 'permission' ? answerTool(view.open.tools, asked.callId, answer) : view.open.tools
    return opened(answered(view, askId), { tools })
  },
  'question-ask': (view, { askId, question, options = [] }) => ({
    ...view,
    questions: [...view.questions, { kind: 'question', askId, question, options }],
  }),
  'question-answer': (view, { askId }) => answered(view, askId),
  proposal: (view, { command }) => withItems(view, describeProposal(command)),
  correction: (view, { detector, remedy }) => withNote(view, 'detail', `${detector}: ${remedy}`),
  compaction: (view, event) => withNote(view, 'info', describeCompaction(event)),
  vote: (view, event) => takeVote(view, event),
  'subagent-start': (view, event) => opened(view, { subagents: startSubagent(view.open.subagents, event) }),
  'subagent-step': (view, event) => opened(view, { subagents: stepSubagent(view.open.subagents, event) }),
  'subagent-end': (view, event) => opened(view, { subagents: endSubagent(view.open.subagents, event) }),
  usage: (view, { usage, window }) => {
    const { prompt = 0, completion = 0, requests = 0 } = view.status.spent ?? {}
    const spent = {
      prompt: prompt + usage.prompt,
      completion: completion + usage.completion,
      requests: requests + 1,
    }
    return { ...view, status: { ...view.status, usage, window, spent } }
  },
  'turn-end': (view, { messages, continues }) => {
    // The reply goes on in the next turn, in the middle of its line.
    if (continues && messages.length === 0) return asked(view)
    const replies = messages.flatMap((message): Item[] =>
      message.role === 'assistant' && (message.text !== '' || message.reasoning)
        ? [{ kind: 'reply', text: message.text, reasoning: message.reasoning ?? '' }]
        : [],
    )
    return closed(view, replies)
  },
  'run-end': (view, event) => {
    if (view.run?.runId !== event.runId) return unqueued(view, event.runId)
    const ended = closed(view, [])
    const { run: _, ...idle } = isShownEnd(event) ? withItems(ended, endItem(event)) : ended
    return { ...idle, questions: [] }
  },
  error: (view, { message }) => withNote(view, 'error', message),
  warning: (view, { message }) => withNote(view, 'warning', message),
}

const withItems = (view: View, ...items: readonly Item[]): View => ({
  ...view,
  items: [...view.items, ...items],
})

const withNote = (view: View, level: NoteItem['level'], text: string): View =>
  withItems(view, { kind: 'note', level, text })

const opened = (view: View, part: Partial<OpenTurn>): View => ({ ...view, open: { ...view.open, ...part } })

/** The first word is here, or the server has to be asked again. */
function begun(view: View): View {
  const { progress: _, ...open } = view.open
  return { ...view, open }
}

/** The server has answered, or is asked anew. */
function asked(view: View): View {
  const { progress: _, retry: __, ...open } = view.open
  return { ...view, open }
}

/** What the turn said and did is over, in the order a person reads it. */
function closed(view: View, replies: readonly Item[]): View {
  const { tools, vote, subagents } = view.open
  const done: readonly Item[] = [
    ...(vote ? [vote] : []),
    ...replies,
    ...tools.map((tool) => (tool.state === 'running' ? { ...tool, state: 'failed' as const } : tool)),
    ...subagents.map((agent) => (agent.state === 'running' ? { ...agent, state: 'failed' as const } : agent)),
  ]
  return { ...withItems(view, ...done), open: closedTurn }
}

const unqueued = (view: View, runId: string): View => ({
  ...view,
  queue: view.queue.filter((waiting) => waiting.runId !== runId),
})

const answered = (view: View, askId: string): View => ({
  ...view,
  questions: view.questions.filter((question) => question.askId !== askId),
})
