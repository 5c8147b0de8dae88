/** When the terminal rings, in bytes. */
import { expect, test } from 'vitest'
import type { SessionEvent } from '../../src/protocol/event.ts'
import { Notifier, type NotifySettings } from '../../src/tui/notify.ts'

const asked: SessionEvent = { type: 'question-ask', id: 2, askId: 'a', question: '\u001B]0;title\u0007?' }
const started: SessionEvent = { type: 'run-start', id: 1, runId: 'r', prompt: 'p' }
const ended: SessionEvent = {
  type: 'run-end',
  id: 3,
  runId: 'r',
  reason: 'answered',
  turns: 1,
  changed: [],
  attribution: { model: 1, repair: 0, detector: 0 },
}
const away = '\u001B[O'
const back = '\u001B[I'

type Scene = {
  readonly notify: NotifySettings['notify']
  readonly env?: NodeJS.ProcessEnv
  readonly seconds?: number
  /** Reports of the terminal and events, in order. */
  readonly happens: readonly (SessionEvent | string)[]
}

function bytesOf({ notify, env = {}, seconds = 20, happens }: Scene): string {
  let bytes = ''
  let now = 0
  const notifier = new Notifier({ env, write: (text) => void (bytes += text), now: () => now })
  notifier.settings = { notify, notifyAfterMs: 10_000 }
  for (const one of happens) {
    if (typeof one === 'string') expect(notifier.takeFocus(one)).toBe(true)
    else notifier.take(one)
    if (one === started) now += seconds * 1000
  }
  return bytes
}

test.each<[string, Scene, string]>([
  [
    'a question while another window has the focus',
    { notify: 'unfocused', happens: [away, asked] },
    '\u0007',
  ],
  ['a question in the window that is looked at', { notify: 'unfocused', happens: [away, back, asked] }, ''],
  ['a terminal that reports no focus', { notify: 'unfocused', happens: [asked] }, ''],
  ['always', { notify: 'always', happens: [back, asked] }, '\u0007'],
  ['never', { notify: 'off', happens: [away, asked, started, ended] }, ''],
  ['the end of a long run', { notify: 'unfocused', happens: [away, started, ended] }, '\u0007'],
  ['the end of a short run', { notify: 'always', seconds: 3, happens: [started, ended] }, ''],
  ['the end of a message that never ran', { notify: 'always', happens: [ended] }, ''],
  [
    'a terminal that shows notes',
    { notify: 'always', env: { TERM_PROGRAM: 'WezTerm' }, happens: [asked] },
    '\u001B]9;Covey: a question waits\u001B\\\u0007',
  ],
  [
    'the same inside tmux',
    { notify: 'always', env: { TERM_PROGRAM: 'WezTerm', TMUX: '/tmp/tmux' }, happens: [asked] },
    '\u0007',
  ],
])('%s', (_, scene, wanted) => {
  expect(bytesOf(scene)).toBe(wanted)
})

test('keys are not reports', () => {
  const notifier = new Notifier({ env: {}, write: () => {}, now: () => 0 })

  expect(['O', '\u001B', '\u001B[A', '\u001B[OO'].map((data) => notifier.takeFocus(data))).toEqual(
    Array.from({ length: 4 }, () => false),
  )
})
