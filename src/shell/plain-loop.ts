/**
 * The same rules without a line editor: for other shells and terminals that draw nothing. One `sh` lives as long as the loop,
 * so folder, variables and functions stay. The end of a command is marked in its output, with a key no command knows; what is
 * asked of the shell itself travels on descriptors that commands do not inherit. No escape code is written.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { cleanControl } from '../lib/clean.ts'
import { makeTempFolder } from '../lib/temp-folder.ts'
import { cleanOutput } from '../lib/text.ts'
import { Dialogue, type Hints, type Plan } from './dialogue.ts'
import type { Helper, Surface } from './helper.ts'
import { toKind } from './line/classify.ts'
import { createMarkReader } from './output/marks.ts'
import { Record } from './output/record.ts'

export type PlainParts = {
  readonly io: { out(text: string): void; err(text: string): void; readonly stdin: NodeJS.ReadStream }
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly helper: Helper
  readonly signal: AbortSignal
  readonly why: string
}

/** `type WORD` says what the word is; `run FILE` runs what is in it, marks the end and says where it is now. */
const LOOP = `
exec 2>&1
IFS= read -r __covey_key <&3
while IFS= read -r __covey_line <&3; do
  case $__covey_line in
    type\\ *) __covey_word=\${__covey_line#type }
      if __covey_kind=$(command -V -- "$__covey_word" 2> /dev/null); then :; else __covey_kind=; fi
      case $__covey_kind in
        *keyword*|*reserved*) echo keyword ;; *function*) echo function ;; *alias*) echo alias ;;
        *builtin*) echo builtin ;; '') echo none ;; *) echo file ;;
      esac >&4 ;;
    run\\ *) __covey_file=\${__covey_line#run }
      . "$__covey_file" 3<&- 4>&-
      printf '\\033]133;D;%s;%s\\007' "$__covey_key" "$?"
      printf '%s\\n' "$PWD" >&4 ;;
  esac
done
`

export async function runPlainLoop(parts: PlainParts): Promise<number> {
  const shell = startSh(parts)
  const loop = new PlainLoop(parts, shell)
  parts.io.err(`covey: line by line over sh (${cleanControl(parts.why)}); :help for help, exit ends it\n`)
  try {
    return await loop.run()
  } finally {
    loop.close()
    shell.close()
    await parts.helper.close()
  }
}

type Sh = ReturnType<typeof startSh>

function startSh({ env, cwd }: PlainParts) {
  const child: ChildProcess = spawn('/bin/sh', ['-c', LOOP], {
    cwd,
    env,
    stdio: ['inherit', 'pipe', 'ignore', 'pipe', 'pipe'],
  })
  const [, stdout, , control, report] = child.stdio
  const key = randomBytes(16).toString('hex')
  ;(control as Writable).write(`${key}\n`)
  const lines = createInterface({ input: report as Readable })[Symbol.asyncIterator]()
  const ended = new Promise<number>((resolve) =>
    child.on('exit', (code, signal) => resolve(code ?? (signal ? 129 : 1))),
  )
  return {
    child,
    ended,
    key,
    output: stdout as Readable,
    /** The next line it reports; nothing once it has ended. */
    async ask(text: string): Promise<string | undefined> {
      ;(control as Writable).write(`${text}\n`)
      const next = await Promise.race([lines.next(), ended.then(() => ({ done: true, value: undefined }))])
      return next.done ? undefined : String(next.value)
    },
    close: () => child.kill('SIGHUP'),
  }
}

const HINTS: Hints = {
  run: '`!` in front runs it',
  ask: '`?` in front asks it',
  again: 'the same line again runs it',
  proposed: 'Enter runs it',
}

class PlainLoop {
  readonly #parts: PlainParts
  readonly #sh: Sh
  readonly #record = new Record()
  readonly #dialogue: Dialogue
  readonly #input: Interface
  readonly #lines: AsyncIterator<string>
  #folder: string
  #waiting = ''
  #onEnd: ((status: number) => void) | undefined

  constructor(parts: PlainParts, sh: Sh) {
    this.#parts = parts
    this.#sh = sh
    this.#folder = parts.cwd
    const surface: Surface = {
      columns: 80,
      rows: 1000,
      write: (text) => parts.io.out(cleanOutput(text.replaceAll('\r\n', '\n'))),
    }
    this.#dialogue = new Dialogue({
      helper: plainHelper(parts.helper, parts.io.out),
      record: this.#record,
      surface,
      hints: HINTS,
    })
    this.#input = createInterface({ input: parts.io.stdin })
    this.#lines = this.#input[Symbol.asyncIterator]()
    const read = createMarkReader(sh.key, {
      bytes: (bytes) => {
        this.#record.write(bytes)
        parts.io.out(cleanOutput(bytes.toString()))
      },
      mark: (mark) => {
        if (mark.kind === 'D') this.#onEnd?.(mark.status)
      },
      screen: () => undefined,
    })
    sh.output.on('data', read)
  }

  async run(): Promise<number> {
    for (;;) {
      this.#parts.io.out(this.#waiting === '' ? '$ ' : `[${this.#waiting}] $ `)
      const next = await Promise.race([this.#lines.next(), this.#sh.ended.then(() => undefined)])
      if (!next || next.done || this.#parts.signal.aborted) return 0
      // An empty line takes what is proposed.
      const line = next.value.trim() === '' && this.#waiting !== '' ? this.#waiting : next.value
      this.#waiting = ''
      if (line.trim() === '') continue
      const code = await this.#take(line)
      if (code !== undefined) return code
    }
  }

  close(): void {
    this.#input.close()
    this.#parts.io.stdin.pause()
  }

  async #take(line: string): Promise<number | undefined> {
    const [word = ''] = line.trim().split(/[\s;|&<>()]/, 1)
    const kind = toKind((await this.#sh.ask(`type ${word}`)) ?? '')
    const plan = this.#dialogue.enter({ line, kind, folder: this.#folder })
    return this.#do(plan, line)
  }

  async #do(plan: Plan, line: string): Promise<number | undefined> {
    if ('work' in plan) {
      const { action, text = '' } = await plan.work(this.#parts.signal)
      if (action === 'line' || action === 'pick') this.#waiting = text
      return undefined
    }
    if (plan.command !== undefined) return this.#run(plan.command)
    if (plan.reply.action === 'keep') this.#waiting = line
    return undefined
  }

  async #run(command: string): Promise<number | undefined> {
    const { rm, writeFile } = await import('node:fs/promises')
    const { join } = await import('node:path')
    const folder = makeTempFolder('shell')
    try {
      const file = join(folder, 'command')
      await writeFile(file, `${command}\n`, { mode: 0o600 })
      this.#record.begin(command, this.#folder)
      const ended = new Promise<number>((resolve) => {
        this.#onEnd = resolve
      })
      // What the command reads is its own.
      this.#input.pause()
      const where = await this.#sh.ask(`run ${file}`)
      this.#input.resume()
      if (where === undefined) return await this.#sh.ended
      this.#folder = where
      this.#report(await ended)
      return undefined
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  #report(status: number): void {
    this.#record.end(status)
    const hint = this.#dialogue.hintAfter(status)
    if (hint !== undefined) this.#parts.io.out(`${hint}\n`)
    if (status !== 0) this.#parts.io.out(`[exit ${status}]\n`)
  }
}

/** The answer as text, once it is whole. */
const plainHelper = (helper: Helper, out: (text: string) => void): Helper => ({
  ...helper,
  async ask(question, surface, signal) {
    const answered = await helper.ask(question, { ...surface, write: () => undefined }, signal)
    out(`${cleanControl((answered.problem ?? answered.text).trim())}\n`)
    return answered
  },
})
