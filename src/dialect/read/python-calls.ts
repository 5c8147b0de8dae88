/** Calls written as Python, alone or in a list, while they arrive. */
import type { ToolSchema } from '../../protocol/model.ts'
import { isObject } from '../../lib/json.ts'
import type { Draft } from './call.ts'
import { CUT_OFF, TOO_LONG } from './call.ts'
import type { Input, Step } from './input.ts'
import type { PythonCall } from './python-literal.ts'
import { parsePythonCall } from './python-literal.ts'
import { MAX_CALL } from './tagged.ts'
import type { ToolBook } from './tool-book.ts'
import { propertiesOf } from './tool-book.ts'

/** `name(`: the longest name that is still looked at. */
const MAX_NAME = 96

const ANY = (): boolean => true

/** The name in front of a parenthesis `offset` characters ahead, if there is one; text that cannot become one is not waited for. */
export function* pythonName(
  input: Input,
  offset = 0,
  mayBeName: (begun: string) => boolean = ANY,
): Step<string | undefined> {
  let length = 0
  for (; length < MAX_NAME; length++) {
    const isOver = input.at + offset + length >= input.text.length
    if (isOver && !mayBeName(input.text.slice(input.at + offset))) return undefined
    const char = (yield* input.peek(offset + length + 1))[offset + length]
    if (char === '(') {
      const name = input.text.slice(input.at + offset, input.at + offset + length)
      return length > 0 && mayBeName(name) ? name : undefined
    }
    if (char === undefined || !(length === 0 ? /[A-Za-z_]/ : /[\w.-]/).test(char)) return undefined
  }
  return undefined
}

/** One call, the cursor on its name. */
export function* readPythonCall(input: Input, tools: ToolBook): Step<Draft> {
  const extent = yield* scanCall(input)
  const name = extent.text.slice(0, extent.text.indexOf('('))
  if (extent.end !== 'closed') return { name, problem: extent.end === 'long' ? TOO_LONG : CUT_OFF }
  const call = parsePythonCall(extent.text)
  if (!call) {
    const problem = `The call ${name}(...) could not be read. Write every argument as name=value with a literal value.`
    return { name, problem }
  }
  return toDraft(call, tools)
}

export function toDraft({ name, positional, named }: PythonCall, tools: ToolBook): Draft {
  const found = findTool(name, tools)
  return { name: found.name, values: { ...byPosition(positional, named, found.tool), ...named } }
}

/** Llama 3 writes its built-in tools as `brave_search.call(...)`. */
function findTool(name: string, tools: ToolBook): { tool: ToolSchema | undefined; name: string } {
  const bare = name.replace(/\.call$/, '')
  const exact = tools.find(name)
  return exact ? { tool: exact, name } : { tool: tools.find(bare), name: bare }
}

/** Positional arguments take the parameters not given by name, in the order of the schema. */
function byPosition(
  positional: readonly unknown[],
  named: Readonly<Record<string, unknown>>,
  tool: ToolSchema | undefined,
): Record<string, unknown> {
  const properties = propertiesOf(tool)
  const [only] = positional
  const isObjectOfAll = positional.length === 1 && isObject(only) && Object.keys(named).length === 0
  // `read_file({"path": "a"})`: the arguments as one object.
  if (isObjectOfAll && Object.keys(only).every((key) => key in properties)) return only
  const free = Object.keys(properties).filter((key) => !(key in named))
  return Object.fromEntries(positional.map((value, index) => [free[index] ?? `argument_${index + 1}`, value]))
}

function* scanCall(input: Input): Step<{ text: string; end: 'closed' | 'cut' | 'long' }> {
  const scan = new CallScan()
  let text = ''
  for (;;) {
    const last = Math.min(input.text.length, input.at + MAX_CALL - text.length)
    let index = input.at
    while (index < last && !scan.done) scan.push(input.text[index++] ?? '')
    text += input.consume(index - input.at)
    if (scan.done) return { text, end: 'closed' }
    if (text.length >= MAX_CALL) return { text, end: 'long' }
    if (!(yield* input.more())) return { text, end: 'cut' }
  }
}

class CallScan {
  done = false
  #depth = 0
  #quote = ''
  #length = 0
  #run = 0
  #escaped = false
  /** Two quotes in a row: an empty string, unless a third one opens a long string. */
  #empty = ''

  push(char: string): void {
    const empty = this.#empty
    this.#empty = ''
    if (empty !== '' && char === empty) this.#open(char.repeat(3))
    else if (this.#quote === '') this.#outside(char)
    else this.#inside(char)
  }

  #outside(char: string): void {
    if (char === '"' || char === "'") this.#open(char)
    else if ('([{'.includes(char)) this.#depth++
    else if (')]}'.includes(char) && --this.#depth === 0) this.done = true
  }

  #inside(char: string): void {
    this.#run = char === this.#quote[0] && !this.#escaped ? this.#run + 1 : 0
    this.#escaped = char === '\\' && !this.#escaped
    if (this.#run < this.#quote.length) {
      this.#length++
      return
    }
    if (this.#quote.length === 1 && this.#length === 0) this.#empty = char
    this.#quote = ''
  }

  #open(quote: string): void {
    this.#quote = quote
    this.#length = 0
    this.#run = 0
  }
}
