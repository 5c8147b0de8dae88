/**
 * A question to the person in the place of the input box: what will happen, why it asks, and the answers there are. Keys
 * that were on their way before it appeared never answer it: while the user is typing, the box gets them.
 */
import { matchesKey } from '@mariozechner/pi-tui'
import type { Answer } from '../protocol/session-api.ts'
import { permissionOptions, type QuestionOption as Option } from '../view/question-options.ts'
import type { ViewQuestion } from '../view/view.ts'
import { drawDiff } from './diff.ts'
import { type Canvas, type Drawn, InputBox } from './input.ts'
import { bold, cyan, dim, yellow } from './theme.ts'
import { clean, fit, fold, wrap } from './text.ts'

export type QuestionParts = {
  readonly question: ViewQuestion
  readonly canvas: Canvas
  answer(answer: Answer): void
}

export class QuestionBox {
  readonly #parts: QuestionParts
  readonly #options: readonly Option[]
  readonly #words: InputBox
  #chosen = 0
  /** Words are typed: a reason, or an answer of one's own. */
  #isTyping: boolean

  constructor(parts: QuestionParts) {
    this.#parts = parts
    const { question, canvas } = parts
    this.#options = question.kind === 'permission' ? permissionOptions(question) : answerOptions(question)
    this.#isTyping = this.#options.length === 0
    this.#words = new InputBox(canvas)
    this.#words.onSubmit = (text) => this.#say(text)
  }

  get askId(): string {
    return this.#parts.question.askId
  }

  type(data: string): void {
    if (this.#isTyping) return this.#typeWords(data)
    const count = this.#options.length
    if (matchesKey(data, 'up')) this.#chosen = (this.#chosen + count - 1) % count
    else if (matchesKey(data, 'down') || matchesKey(data, 'tab')) this.#chosen = (this.#chosen + 1) % count
    else if (matchesKey(data, 'enter')) this.#take(this.#options[this.#chosen])
    else this.#take(this.#options.find(({ key }, index) => key === data || String(index + 1) === data))
  }

  /** Back to the list; nothing to go back to = no. */
  escape(): boolean {
    if (!this.#isTyping || this.#options.length === 0) return false
    this.#isTyping = false
    return true
  }

  /** Says no; false for a question that has no "no". */
  deny(): boolean {
    const { question, answer } = this.#parts
    if (question.kind !== 'permission') return false
    answer({ allow: false, reason: 'The person said no.' })
    return true
  }

  draw(width: number, rows: number): Drawn {
    const words = this.#isTyping ? this.#words.draw(width).lines : []
    // The hint and the status line.
    const fixed = words.length + 2
    const options = this.#drawOptions(width, rows - fixed)
    const head = drawQuestion(this.#parts.question, width, Math.max(2, rows - options.length - fixed))
    return { lines: [...head, ...options, ...words, dim(fit(this.#hint(), width))] }
  }

  /** In a low terminal each is one line, and while words are typed none: what is asked about must stay to be seen. */
  #drawOptions(width: number, rows: number): readonly string[] {
    const drawn = this.#options.map((option, index) =>
      drawOption(option, { index, isChosen: index === this.#chosen && !this.#isTyping, width }),
    )
    const whole = drawn.flat()
    if (whole.length <= rows - LEAST_HEAD) return whole
    return this.#isTyping
      ? []
      : drawn.map(([first = '', ...more]) => fit(first + (more.length > 0 ? '…' : ''), width))
  }

  #hint(): string {
    if (this.#isTyping) return this.#options.length > 0 ? 'Enter says it · Esc goes back' : 'Enter says it'
    return this.#parts.question.kind === 'permission'
      ? '↑↓ Enter, or the letter · Esc says no'
      : '↑↓ Enter, or the number'
  }

  #typeWords(data: string): void {
    const direct = this.#words.isEmpty && this.#options.find((_, index) => String(index + 1) === data)
    if (direct && direct.answer) return this.#parts.answer(direct.answer)
    this.#words.type(data)
  }

  #take(option: Option | undefined): void {
    if (!option) return
    if (option.answer) this.#parts.answer(option.answer)
    else this.#isTyping = true
  }

  #say(text: string): void {
    const { question, answer } = this.#parts
    const words = text.trim()
    if (question.kind === 'permission')
      return answer({
        allow: false,
        reason: words === '' ? 'The person said no.' : `The person said no: ${words}`,
      })
    answer({ text: numbered(words, question.options) })
  }
}

/** "2" means the second of the options. */
function numbered(words: string, options: readonly string[]): string {
  const index = /^\d+$/.test(words) ? Number(words) - 1 : -1
  return options[index] ?? words
}

const answerOptions = ({ options }: Extract<ViewQuestion, { kind: 'question' }>): readonly Option[] =>
  options.length === 0
    ? []
    : [
        ...options.map((text) => ({ key: '', label: text, answer: { text } })),
        { key: '', label: 'Something else' },
      ]

/** Lines of what is asked about that are more worth than whole options. */
const LEAST_HEAD = 4

type OptionPlace = { readonly index: number; readonly isChosen: boolean; readonly width: number }

function drawOption({ key, label }: Option, { index, isChosen, width }: OptionPlace): readonly string[] {
  const name = key === '' ? `${index + 1}` : key
  const lines = wrap(clean(label.replaceAll('\n', ' ')), width - 5)
  return lines.map((line, at) => {
    const text = at === 0 ? `${isChosen ? '❯' : ' '} ${name}  ${line}` : `     ${line}`
    return isChosen ? cyan(text) : text
  })
}

function drawQuestion(question: ViewQuestion, width: number, rows: number): readonly string[] {
  if (question.kind === 'question')
    return fold(wrap(`${yellow('?')} ${bold(clean(question.question))}`, width), rows, () => dim('…'))
  const { access, why, secrets, diff } = question
  const targets = access.flatMap(({ kind, target }) => wrap(`${yellow(kind)} ${bold(clean(target))}`, width))
  const given = secrets.map(
    ({ kind, placeholder, path }) => `gives it the ${kind}${path ? ` of ${path}` : ''} (${placeholder})`,
  )
  const reasons = [`why: ${why}`, ...given].flatMap((line) => wrap(clean(line), width)).map(dim)
  const room = Math.max(2, rows - reasons.length)
  // The name of each file is a line of its own.
  const changes = diff.flatMap((file) => drawDiff(file, width, Math.max(2, room - diff.length)))
  const what = fold(changes.length > 0 ? changes : targets, rows, (rest) => dim(`… ${rest} more lines`))
  return [...what, ...reasons].slice(0, Math.max(what.length, rows))
}
