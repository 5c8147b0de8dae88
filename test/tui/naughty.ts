/**
 * Text that was not written for a terminal, from everyone who may send some: the model, a tool, the name of a
 * file, a peer, the clipboard. Nothing in it is obeyed, and the box stays where it is. `naughty-strings.json` is the Big List
 * of Naughty Strings (MIT licence, Max Woolf).
 */
import { readFileSync } from 'node:fs'
import xterm from '@xterm/headless'
import { expect } from 'vitest'
import type { RunEvent } from '../../src/protocol/event.ts'
import { Face } from '../../src/tui/face.ts'
import { InputBox } from '../../src/tui/input.ts'
import { key } from './terminal.ts'

export const listed = JSON.parse(
  readFileSync(new URL('naughty-strings.json', import.meta.url), 'utf8'),
) as readonly string[]

export const controls = Array.from({ length: 0xa0 }, (_, code) => code)
  .filter((code) => code < 0x20 || code >= 0x7f)
  .map((code) => `a${String.fromCharCode(code)}b[2Jc`)

export const steering = [
  '\u001B[2J\u001B[3J\u001B[H',
  '\u001B]0;owned\u0007\u001B]52;c;aGk=\u001B\\',
  '\u001B]8;;https://example.org\u001B\\link\u001B]8;;\u001B\\',
  '\u001BP$q"p\u001B\\\u001B_Gf=100;AAAA\u001B\\\u001B^x\u001B\\',
  '\u009B2J\u009D0;x\u009C\u0090q\u009C',
  '\u001B[?1049h\u001B[?1000h\u001B[6n\u001B[c\u001Bc',
  'safe\b\b\b\brm -rf\rgone',
  '\u202Ereversed\u202C \u2066isolated\u2069 \u200Fright\u061C',
  '漢字テスト👩‍👩‍👧‍👦🏳️‍🌈 é\u0301\u0301\u0301 ｗｉｄｅ',
  '\uD800 alone \uDC00',
]

/** Every place that shows foreign text, in one run. */
function* eventsWith(text: string, at: number): Generator<RunEvent> {
  const call = { id: `call-${at}`, name: 'run_command', input: JSON.stringify({ command: text }) }
  const files = [
    { path: `${text}.txt`, kind: 'edited', added: 1, removed: 0, text: `+${text}`, omitted: 0 } as const,
  ]
  yield { type: 'run-start', runId: `run-${at}`, prompt: `ask ${text}` }
  yield { type: 'prompt-queue', runId: `later-${at}`, prompt: text }
  yield { type: 'turn-start', turn: 1 }
  yield { type: 'routing', arm: text, why: text, window: 8_192 }
  yield { type: 'vote', stage: 'start', why: text, workers: [text, 'other'] }
  yield { type: 'vote', stage: 'candidate', worker: text, shows: text }
  yield { type: 'reasoning-delta', text }
  yield { type: 'text-delta', text: `Here: ${text} end.` }
  yield { type: 'tool-start', call, title: `run_command ${text}` }
  yield { type: 'tool-diff', callId: call.id, files }
  yield { type: 'tool-output', callId: call.id, text }
  yield { type: 'subagent-start', subagent: text, task: text }
}

function* endsOf(text: string, at: number): Generator<RunEvent> {
  const callId = `call-${at}`
  yield { type: 'tool-end', callId, name: 'run_command', ok: false, text, ms: 3 }
  yield { type: 'warning', message: text }
  yield { type: 'error', code: 'model-unavailable', message: text }
  const messages = [{ role: 'assistant', text: `Here: ${text} end.`, reasoning: text, calls: [] } as const]
  yield { type: 'turn-end', turn: 1, messages }
  const attribution = { model: 1, repair: 0, detector: 0 }
  yield { type: 'run-end', runId: `later-${at}`, reason: 'cancelled', turns: 0, changed: [], attribution }
  yield { type: 'run-end', runId: `run-${at}`, reason: 'error', turns: 1, changed: [text], attribution }
}

/** Draws them all, one after the other, as on a terminal of this size. */
export async function drawAll(
  strings: readonly string[],
  [columns, rows]: readonly [columns: number, rows: number],
): Promise<void> {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 0, allowProposedApi: true })
  let bytes = ''
  const surface = { columns, rows, write: (text: string) => void (bytes += text) }
  const face = new Face({
    surface,
    isVerbose: true,
    facts: () => ({ arm: '', mode: 'ask', confinement: '' }),
  })
  const input = new InputBox({ rows, redraw: () => {} })
  face.input = input
  let id = 0

  const draw = async (text: string): Promise<void> => {
    bytes = ''
    face.drawNow()
    expect(foreignIn(bytes), JSON.stringify(text)).toBeUndefined()
    await new Promise<void>((resolve) => terminal.write(bytes, resolve))
    expect(boxOf(terminal), JSON.stringify(text)).toEqual(['─'.repeat(columns), '─'.repeat(columns)])
  }

  for (const [at, text] of strings.entries()) {
    for (const event of eventsWith(text, at)) face.take({ ...event, id: ++id })
    input.type(key.paste(text))
    await draw(text)
    input.setText('')
    for (const event of endsOf(text, at)) face.take({ ...event, id: ++id })
    await draw(text)
  }
  face.suspend()
  terminal.dispose()
}

/** What the screen itself writes: styles, moves of the cursor, erasing to the right and below, the synchronized update. */
const OWN = /\u001B\[(?:\?(?:2026|25|7)[hl]|[\d;]*[mABJK])|\r\n|\r/g

const FOREIGN = /.{0,20}[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u061C\u200E\u200F]/

const foreignIn = (bytes: string): string | undefined => {
  const [found] = FOREIGN.exec(bytes.replaceAll(OWN, '')) ?? []
  return found === undefined ? undefined : JSON.stringify(found)
}

/** The lines above and below what is typed, found from the status line, on which the cursor rests. */
function boxOf({ buffer: { active } }: InstanceType<typeof xterm.Terminal>): readonly string[] {
  const lineAt = (row: number): string => active.getLine(row)?.translateToString(true) ?? ''
  const status = active.baseY + active.cursorY
  const bottom = lineAt(status - 1)
  let top = status - 2
  while (top > active.baseY && !lineAt(top).startsWith('──')) top--
  // What is typed above the visible lines is counted in the border.
  return [lineAt(top).replace(/ ↑ \d+ more /, (text) => '─'.repeat(text.length)), bottom]
}
