/**
 * Chat templates come from model files and servers, so they are programs of strangers: one may loop for ever or fill the
 * memory. They are rendered in a process of their own that is kept warm, takes one rendering at a time and is killed at
 * a limit. A worker thread is not enough: one large allocation in it ends the whole program.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { AppError } from '../protocol/error.ts'
import { shortHash } from './hash.ts'
import { dependencyFile } from './package-files.ts'
import { childProgram } from './template-program.ts'

type TemplateInput = Readonly<Record<string, unknown>>

/** Fails with `request-invalid` where the template refuses, with `model-unavailable` where it passes a limit. */
export type RenderTemplate = (input: TemplateInput) => Promise<string>

export type TemplateLimits = {
  readonly renderMs: number
  readonly heapMiB: number
  /** Of what one rendering is given, and of what it returns. */
  readonly characters: number
}

export const templateLimits: TemplateLimits = { renderMs: 2_000, heapMiB: 64, characters: 10 * 1024 * 1024 }

/** No template of a real model is a tenth of this. */
const MAX_TEMPLATE = 1024 * 1024

/** One that passed a limit is not tried again: every try would cost the limit once more. */
const refused = new Map<string, AppError>()
const MAX_REFUSED = 1_000

/** With more than this to render, the conversation may be to blame and not the template. */
const SMALL_INPUT = 256 * 1024

export function openTemplate(text: string, limits: TemplateLimits = templateLimits): RenderTemplate {
  const key = shortHash(text)
  return async (input) => {
    const known = refused.get(key)
    if (known) throw known
    if (text.length > MAX_TEMPLATE) throw tooMuch(`is longer than ${MAX_TEMPLATE} characters`)
    const json = JSON.stringify(input)
    if (json.length > limits.characters) throw tooLong(json.length, limits)
    const reply = await inTurn(() => renderOnce({ text, json }, limits))
    if ('text' in reply) return reply.text
    if ('error' in reply) throw new AppError('request-invalid', reply.error)
    const error = tooMuch(passed(limits)[reply.limit])
    if (refused.size >= MAX_REFUSED) refused.clear()
    if (json.length <= SMALL_INPUT) refused.set(key, error)
    throw error
  }
}

const tooMuch = (what: string): AppError =>
  new AppError(
    'model-unavailable',
    `The chat template of the model ${what}, so it is not used; choose another model, or set ` +
      '`tools = "text"` for its arm to let its server render it.',
  )

const tooLong = (length: number, { characters }: TemplateLimits): AppError =>
  new AppError(
    'context-overflow',
    `The conversation has ${length} characters, and a chat template is given ${characters} at most; shorten it.`,
  )

type Limit = 'time' | 'memory' | 'characters'

const passed = ({ renderMs, heapMiB, characters }: TemplateLimits): Readonly<Record<Limit, string>> => ({
  time: `takes longer than ${renderMs / 1000} s to render`,
  memory: `needs more than ${heapMiB} MiB of memory`,
  characters: `writes more than ${characters} characters`,
})

type Job = { readonly text: string; readonly json: string }

type Reply = { readonly text: string } | { readonly error: string } | { readonly limit: Limit }

let last: Promise<unknown> = Promise.resolve()

/** One at a time: the limits are for one rendering. */
function inTurn(work: () => Promise<Reply>): Promise<Reply> {
  const next = last.then(work)
  last = next.catch(() => undefined)
  return next
}

type Warm = { readonly child: ChildProcess; readonly heapMiB: number }

let warm: Warm | undefined

async function renderOnce(job: Job, limits: TemplateLimits): Promise<Reply> {
  const { child } = await ready(limits)
  keepAlive(child, true)
  try {
    return await replyOf(child, job, limits)
  } finally {
    keepAlive(child, false)
  }
}

/** The process stops a rendering itself; this long after that it is killed. */
const BACKSTOP_MS = 2_000

function replyOf(child: ChildProcess, job: Job, { renderMs, characters }: TemplateLimits): Promise<Reply> {
  return new Promise((resolve) => {
    const end = (reply: Reply): void => {
      clearTimeout(timer)
      child.off('message', take).off('exit', gone)
      resolve(reply)
    }
    const take = (reply: unknown): void => end(reply as Reply)
    const gone = (): void => end({ limit: 'memory' })
    const timer = setTimeout(() => {
      stop(child)
      end({ limit: 'time' })
    }, renderMs + BACKSTOP_MS)
    child.once('message', take).once('exit', gone)
    child.send({ ...job, renderMs, characters }, (error) => error && gone())
  })
}

async function ready({ heapMiB }: TemplateLimits): Promise<Warm> {
  if (warm && (warm.heapMiB !== heapMiB || !warm.child.connected)) stop(warm.child)
  warm ??= await start(heapMiB)
  return warm
}

const START_MS = 30_000

async function start(heapMiB: number): Promise<Warm> {
  const jinja = pathToFileURL(dependencyFile('@huggingface/jinja')).href
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heapMiB}`, '--input-type=module', '-e', childProgram, jinja],
    // Nothing of the environment: a template has no use for it.
    { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced', windowsHide: true },
  )
  child.once('exit', () => {
    if (warm?.child === child) warm = undefined
  })
  await new Promise<void>((resolve, reject) => {
    const fail = (why: unknown): void => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      reject(new AppError('model-unavailable', `Chat templates cannot be rendered: ${String(why)}`))
    }
    const timer = setTimeout(() => fail('the process for it did not start in time'), START_MS)
    child.once('error', fail).once('exit', () => fail('the process for it ended at its start'))
    child.once('message', () => {
      clearTimeout(timer)
      child.removeAllListeners('error').on('error', () => stop(child))
      resolve()
    })
  })
  return { child, heapMiB }
}

function stop(child: ChildProcess): void {
  if (warm?.child === child) warm = undefined
  child.kill('SIGKILL')
}

/** A process that renders nothing must not keep this one from ending; it ends when the channel closes. */
function keepAlive(child: ChildProcess, on: boolean): void {
  for (const handle of [child, child.channel]) {
    if (on) handle?.ref()
    else handle?.unref()
  }
}
