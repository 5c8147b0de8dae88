/**
 * File content outside JSON, where calls travel as text: `write_file {"path": "a.py"}` and, behind it, a fenced block with
 * what to write. Small models escape quotes and line ends wrongly; in a block there is nothing to escape.
 */
import type { DialectWriter, ReplyEvent, ReplyReader } from '../../protocol/dialect.ts'
import type { ToolCall } from '../../protocol/message.ts'
import { objectOf } from './shape.ts'

/** The one long text of a call. Where a call has two of them, a block would not say which it is. */
function blockKey(name: string, input: Readonly<Record<string, unknown>>): string | undefined {
  return name === 'edit_file' ? ('from' in input ? 'new' : undefined) : BLOCK_PARAMETERS[name]
}

const BLOCK_PARAMETERS: Readonly<Record<string, string>> = {
  write_file: 'content',
  apply_patch: 'patch',
  python: 'code',
  javascript: 'code',
}

const EXAMPLE: ToolCall = { id: 'call-1', name: 'write_file', input: '{"path": "notes.txt"}' }

/** Told behind the tools. */
export const blockInstructions = (writer: Pick<DialectWriter, 'write'>): string =>
  [
    'For write_file leave content out of the call and put it into a fenced block right after it:',
    writer.write(EXAMPLE),
    '```',
    'all lines of the file',
    '```',
  ].join('\n')

/** The same dialect; what it writes is what its model is asked to write. */
export function withBlocks<Writer extends DialectWriter>(writer: Writer): Writer {
  return {
    ...writer,
    write(call) {
      const input = objectOf(call.input)
      const key = blockKey(call.name, input)
      const { [key ?? '']: text, ...rest } = input
      if (key === undefined || typeof text !== 'string' || text === '') return writer.write(call)
      const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
      const end = text.endsWith('\n') ? '' : '\n'
      return `${writer.write({ ...call, input: JSON.stringify(rest) })}\n${fence}\n${text}${end}${fence}`
    },
  }
}

const longestRun = (text: string): number =>
  Math.max(0, ...(text.match(/^ {0,3}`{3,}/gm) ?? []).map((run) => run.trim().length))

/** Readers of one kind, read as one; a call that lacks its long text gets it from the block behind it. */
export function readingBlocks(create: () => ReplyReader): ReplyReader {
  const state = new BlockState(create)
  return { push: (chunk) => state.push(chunk), end: () => state.end() }
}

type Block = { readonly fence: string; readonly opening: string; readonly lines: string[]; depth: number }

/** Each look costs as much as the reply so far. */
const MAX_LOOKS = 32
/** Without one of these there is no call that a block could belong to. */
const NAMES = /write_file|edit_file|apply_patch|python|javascript/

/**
 * Takes blocks out of the text before the reader sees them: what a file holds must not be read as calls. Whether a fence
 * opens one is asked of a second reader that is given the reply as if it ended there. Calls wait for the end of the reply,
 * where they are run anyway.
 */
class BlockState {
  readonly #create: () => ReplyReader
  readonly #reader: ReplyReader
  /** All that the reader was given. */
  #given = ''
  #line = ''
  /** The beginning of this line was no fence and is given away. */
  #isMidLine = false
  #open: Block | undefined
  #looks = 0
  #isInCode = false
  /** By the place of their call in the reply. */
  readonly #blocks = new Map<number, string>()
  #target = 0
  #calls = 0
  readonly #waiting: {
    readonly index: number
    readonly event: Extract<ReplyEvent, { type: 'tool-call' }>
  }[] = []

  constructor(create: () => ReplyReader) {
    this.#create = create
    this.#reader = create()
  }

  push(chunk: string): ReplyEvent[] {
    return chunk.split(/(?<=\n)/).flatMap((piece) => this.#take(piece))
  }

  end(): ReplyEvent[] {
    const last = this.#line
    this.#line = ''
    const events = last === '' ? [] : this.#whole(last)
    const { opening = '', lines = [] } = this.#open ?? {}
    const cut: ReplyEvent[] = opening === '' ? [] : [{ type: 'text-delta', text: opening + lines.join('') }]
    const rest = this.#sorted(this.#reader.end())
    const calls = this.#waiting.map(({ index, event }) => withText(event, this.#blocks.get(index)))
    return [...events, ...cut, ...rest, ...calls]
  }

  /** Only a line that may be a fence, or lies in a block, waits for its end. */
  #take(piece: string): ReplyEvent[] {
    const isEnd = piece.endsWith('\n')
    if (this.#isMidLine) {
      this.#isMidLine = !isEnd
      return this.#give(piece)
    }
    this.#line += piece
    if (!isEnd && (this.#open !== undefined || MAY_BE_FENCE.test(this.#line))) return []
    const line = this.#line
    this.#line = ''
    this.#isMidLine = !isEnd
    return isEnd ? this.#whole(line) : this.#give(line)
  }

  #whole(line: string): ReplyEvent[] {
    if (this.#open) return this.#inside(this.#open, line)
    const fence = FENCE.exec(line.trimEnd())
    if (!fence) return this.#give(line)
    const target = this.#isInCode ? undefined : this.#callBefore()
    if (target === undefined) {
      this.#isInCode = !this.#isInCode
      return this.#give(line)
    }
    this.#target = target
    this.#open = { fence: fence[1] ?? '', opening: line, lines: [], depth: 0 }
    return []
  }

  #inside(open: Block, line: string): ReplyEvent[] {
    const [, mark = '', info = ''] = FENCE.exec(line.trimEnd()) ?? []
    const isFence = mark.startsWith(open.fence)
    // A block inside the block: README files are full of them.
    if (isFence && info !== '') open.depth++
    else if (isFence && open.depth > 0) open.depth--
    else if (isFence) {
      this.#blocks.set(this.#target, open.lines.join(''))
      this.#open = undefined
      return []
    }
    open.lines.push(line)
    return []
  }

  /** The place of the call that ends the reply so far and lacks its text. */
  #callBefore(): number | undefined {
    if (!NAMES.test(this.#given) || this.#looks >= MAX_LOOKS) return undefined
    this.#looks++
    const reader = this.#create()
    const events = [...reader.push(this.#given), ...reader.end()].filter(({ type }) => type !== 'proposal')
    const last = events.findLast((event) => event.type !== 'text-delta' || event.text.trim() !== '')
    const index = events.filter(({ type }) => type === 'tool-call').length - 1
    const isFree = last?.type === 'tool-call' && lacksText(last.call) && !this.#blocks.has(index)
    return isFree ? index : undefined
  }

  #give(text: string): ReplyEvent[] {
    this.#given += text
    return this.#sorted(this.#reader.push(text))
  }

  #sorted(events: readonly ReplyEvent[]): ReplyEvent[] {
    return events.flatMap((event) => {
      if (event.type !== 'tool-call') return [event]
      this.#waiting.push({ index: this.#calls++, event })
      return []
    })
  }
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*$/
const MAY_BE_FENCE = /^ {0,3}(?:`|~|$)/

function withText(event: Extract<ReplyEvent, { type: 'tool-call' }>, text: string | undefined): ReplyEvent {
  const { call } = event
  const input = objectOf(call.input)
  const key = blockKey(call.name, input)
  if (text === undefined || key === undefined) return event
  return { ...event, call: { ...call, input: JSON.stringify({ ...input, [key]: text }) } }
}

function lacksText({ name, input }: ToolCall): boolean {
  const given = objectOf(input)
  const key = blockKey(name, given)
  return key !== undefined && !(key in given)
}
