/** What is on the pictures: the terminal's own components, given the events of a session. */
import type { RunEvent } from '../../src/protocol/event.ts'
import type { Message } from '../../src/protocol/message.ts'
import { drawContext } from '../../src/tui/context.ts'
import { Face } from '../../src/tui/face.ts'
import { InputBox } from '../../src/tui/input.ts'
import { Picker } from '../../src/tui/picker.ts'
import { QuestionBox } from '../../src/tui/question.ts'
import type { Surface } from '../../src/tui/screen.ts'
import { dim } from '../../src/tui/theme.ts'

type Picture = (surface: Surface) => void | Promise<void>

const ARM = 'qwen2.5-coder:7b'

function open(surface: Surface): Face {
  const facts = () => ({ arm: ARM, mode: 'ask', confinement: 'bubblewrap', branch: 'main' })
  const face = new Face({ surface, isVerbose: false, facts })
  face.input = new InputBox({ rows: surface.rows, redraw: () => {} })
  face.print(['covey', dim(`${ARM} · ask · bubblewrap · session 20261116-0358-dph7`), dim('/help for help')])
  return face
}

function tell(face: Face, ...events: readonly RunEvent[]): void {
  for (const event of events) face.take({ ...event, id: face.view.lastEventId + 1 })
}

/** Nothing is drawn after the picture. */
function finish(face: Face, surface: Surface): void {
  face.drawNow()
  const { write } = surface
  Object.assign(surface, { write: () => {} })
  face.suspend()
  Object.assign(surface, { write })
}

const START: RunEvent = {
  type: 'run-start',
  runId: 'run-1',
  prompt: 'Why does the test of sum fail? Fix it.',
}
const ROUTING: RunEvent = { type: 'routing', arm: ARM, why: 'task: fix', window: 8_192 }
const USAGE: RunEvent = {
  type: 'usage',
  usage: { prompt: 3_100, completion: 180, cached: 2_600 },
  window: 8_192,
}

const turn = (text: string): RunEvent => ({
  type: 'turn-end',
  turn: 1,
  messages: [{ role: 'assistant', text, calls: [] }],
})

const READ: readonly RunEvent[] = [
  {
    type: 'tool-start',
    call: { id: 'call-1', name: 'read_file', input: '{}' },
    title: 'read_file src/sum.ts',
  },
  { type: 'tool-end', callId: 'call-1', name: 'read_file', ok: true, text: '', ms: 4 },
]

const edit = { id: 'call-2', name: 'edit_file', input: '{}' }
const diff = {
  path: 'src/sum.ts',
  kind: 'edited',
  added: 2,
  removed: 1,
  omitted: 0,
  text: '@@ -1,4 +1,5 @@\n export const sum = (numbers: readonly number[]): number => {\n-  return numbers.reduce((a, b) => a - b)\n+  if (numbers.length === 0) return 0\n+  return numbers.reduce((a, b) => a + b)\n }',
} as const

const start: Picture = (surface) => {
  const face = open(surface)
  face.input?.type('Why does the test of sum fail?')
  finish(face, surface)
}

const streaming: Picture = async (surface) => {
  const face = open(surface)
  tell(face, START, { type: 'turn-start', turn: 1 }, ROUTING, ...READ, USAGE)
  tell(face, turn('I look at the function first.'), { type: 'turn-start', turn: 2 })
  tell(face, { type: 'progress', stage: 'reading', total: 6_200, cached: 2_600, done: 2_600 })
  face.drawNow()
  await new Promise((resolve) => setTimeout(resolve, 1_600))
  tell(face, { type: 'progress', stage: 'reading', total: 6_200, cached: 2_600, done: 4_100 })
  tell(face, { type: 'prompt-queue', runId: 'run-2', prompt: 'Then run all tests.' })
  finish(face, surface)
}

const question: Picture = (surface) => {
  const face = open(surface)
  tell(face, START, { type: 'turn-start', turn: 1 }, ROUTING, USAGE)
  tell(face, { type: 'text-delta', text: 'It subtracts, and an empty list throws.' })
  tell(face, { type: 'tool-start', call: edit, title: 'edit_file src/sum.ts' })
  tell(face, { type: 'tool-diff', callId: edit.id, files: [diff] })
  tell(face, {
    type: 'permission-ask',
    askId: 'ask-1',
    call: edit,
    access: [{ kind: 'write', target: 'src/sum.ts' }],
    why: 'edit_file changes src/sum.ts',
    always: { text: 'always allow exactly "src/sum.ts" in this folder', rules: [] },
  })
  const [asked] = face.view.questions
  const canvas = { rows: surface.rows, redraw: () => {} }
  if (asked) face.question = new QuestionBox({ question: asked, canvas, answer: () => {} })
  finish(face, surface)
}

const command: Picture = async (surface) => {
  const face = open(surface)
  const call = { id: 'call-3', name: 'run_command', input: '{}' }
  tell(face, START, { type: 'turn-start', turn: 1 }, ROUTING, USAGE)
  tell(face, { type: 'tool-start', call, title: 'run_command npm test' })
  const output = [' RUN  v4.1.12', ' ✓ test/list.test.ts (12 tests)', ' ✓ test/map.test.ts (8 tests)']
  face.drawNow()
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  tell(face, { type: 'tool-output', callId: call.id, text: `${output.join('\n')}\n` })
  face.input?.type('and then commit it')
  finish(face, surface)
}

const vote: Picture = (surface) => {
  const face = open(surface)
  tell(face, START, { type: 'turn-start', turn: 1 }, ROUTING, USAGE)
  const workers = ['qwen2.5-coder:7b #1', 'qwen2.5-coder:7b #2', 'laptop/llama3.1:8b', 'desk/qwen3:14b']
  tell(face, { type: 'vote', stage: 'start', why: 'a change to a file', workers })
  const [one = '', two = '', three = ''] = workers
  tell(face, { type: 'vote', stage: 'candidate', worker: one, shows: 'edit_file src/sum.ts  a - b → a + b' })
  tell(face, { type: 'vote', stage: 'candidate', worker: two, shows: 'edit_file src/sum.ts  a - b → a + b' })
  tell(face, {
    type: 'vote',
    stage: 'candidate',
    worker: three,
    shows: 'edit_file src/summ.ts',
    discarded: 'dry run: the file does not exist',
  })
  finish(face, surface)
}

const context: Picture = (surface) => {
  const face = open(surface)
  tell(face, START, { type: 'turn-start', turn: 1 }, ROUTING, ...READ, USAGE, turn('It adds now.'))
  const history: readonly Message[] = [
    { role: 'user', text: 'x'.repeat(1_600) },
    { role: 'assistant', text: 'y'.repeat(1_200), calls: [] },
    { role: 'tool', callId: 'call-1', text: 'z'.repeat(3_400), ok: true },
  ]
  face.print(drawContext(history, face.view.status, surface.columns))
  tell(face, {
    type: 'run-end',
    runId: 'run-1',
    reason: 'answered',
    turns: 2,
    changed: [],
    attribution: { model: 2, repair: 0, detector: 0 },
  })
  finish(face, surface)
}

const resume: Picture = (surface) => {
  const face = open(surface)
  const titles = [
    'Why does the test of sum fail? Fix it.',
    'Write a test for the parser',
    'What does src/lib/queue.ts do?',
    'Rename Item to Entry everywhere',
  ]
  const items = titles.map((label, at) => ({
    value: String(at),
    label,
    description: `2026-11-1${6 - at} 0${9 - at}:12`,
  }))
  face.picker = new Picker({ title: 'Go on with', items, pick: () => {}, leave: () => {} })
  face.picker.type('t')
  finish(face, surface)
}

const error: Picture = (surface) => {
  const face = open(surface)
  const message =
    'qwen2.5-coder:7b: http://127.0.0.1:11434 refused the connection; nothing listens there. Start the server with `ollama serve`, or choose another model with /model. Tried 2 times in 1 s.'
  tell(face, START, { type: 'turn-start', turn: 1 }, ROUTING)
  tell(face, { type: 'error', code: 'model-unavailable', message })
  tell(face, {
    type: 'run-end',
    runId: 'run-1',
    reason: 'error',
    turns: 1,
    changed: [],
    attribution: { model: 0, repair: 0, detector: 0 },
  })
  finish(face, surface)
}

export const pictures: Readonly<Record<string, Picture>> = {
  start,
  streaming,
  question,
  command,
  vote,
  context,
  resume,
  error,
}
