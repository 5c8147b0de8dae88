/**
 * A rendered prompt in the form a server takes it, with what came from outside kept from becoming control tokens. On
 * llama.cpp such text goes as token ids between the pieces of text; elsewhere it is broken up.
 */
import { z } from 'zod'
import { dialectFor } from '../../dialect/all.ts'
import type { Family } from '../../dialect/families/family.ts'
import { openTemplate } from '../../lib/template-process.ts'
import type { EmissionMode } from '../../protocol/arm.ts'
import { AppError } from '../../protocol/error.ts'
import type { ModelRequest } from '../../protocol/model.ts'
import { breakUp, inTwo } from '../control-text.ts'
import type { Findings } from '../probe/findings.ts'
import type { ServerClient } from '../server-client.ts'

/** A stretch of a prompt. Only `control` text may hold control tokens. */
export type PromptSegment = { readonly text: string; readonly control: boolean }

/** A chat template that we render ourselves. */
export type RawTemplate = {
  readonly emission: EmissionMode
  readonly family: Family
  /** `structural` matches what must not become a control token where it comes from outside. */
  render(request: ModelRequest, structural: RegExp): Promise<readonly PromptSegment[]>
}

/** Opens a template, or the one most models know where `text` is undefined. Handed in: the embedded engine has it. */
export type OpenTemplate = (source: {
  readonly text: string | undefined
  readonly bos: string
  readonly eos: string
  readonly dialect?: string
  readonly guess: string
}) => Promise<RawTemplate>

export type RawTemplateWish = { readonly model: string; readonly dialect?: string | undefined }

/** Families whose models are all trained on `<|im_start|>`. */
const CHATML_FAMILIES: ReadonlySet<string> = new Set(['hermes', 'qwen-xml'])

/** Undefined where the model's own template is not known or cannot be rendered here. */
export async function openRawTemplate(
  { template, eos }: Findings,
  { model, dialect }: RawTemplateWish,
  open: OpenTemplate,
): Promise<RawTemplate | undefined> {
  const guess = dialectFor(model)
  const text = template?.value
  if (text === undefined && !CHATML_FAMILIES.has(dialect ?? guess ?? '')) return undefined
  const opened = await open({
    text,
    // Every server puts it in front by itself.
    bos: '',
    eos: eos?.value ?? '',
    ...(dialect !== undefined && { dialect }),
    guess: guess ?? 'hermes',
  })
  return text === undefined || (await isOwn(opened, text, eos?.value ?? '')) ? opened : undefined
}

const HELLO: ModelRequest = {
  runId: '',
  sessionId: '',
  turn: 1,
  system: '',
  messages: [{ role: 'user', text: 'Hello' }],
  tools: [],
}

/** Whether it renders as the template itself does, not as something that was taken in its place. */
async function isOwn({ render }: RawTemplate, text: string, eos: string): Promise<boolean> {
  try {
    const messages = HELLO.messages.map((message) => ({ role: message.role, content: message.text }))
    const plain = { messages, add_generation_prompt: true, bos_token: '', eos_token: eos }
    const ours = (await render(HELLO, /(?!)/g)).map((segment) => segment.text)
    return (await openTemplate(text)(plain)) === ours.join('')
  } catch {
    return false
  }
}

export type EncodePrompt = (
  segments: readonly PromptSegment[],
  signal: AbortSignal,
) => Promise<string | readonly (string | number)[]>

/** For servers that take nothing but text. */
export const encodeAsText: EncodePrompt = async (segments) =>
  segments.map(({ text, control }) => (control ? text : breakUp(text))).join('')

const Tokens = z.object({ tokens: z.array(z.int()) })

export function createLlamaCppEncoder(client: ServerClient): EncodePrompt {
  /** Content repeats from request to request, and must come out the same each time. */
  const known = new Map<string, readonly number[]>()
  const tokenize = async (text: string, signal: AbortSignal): Promise<void> => {
    const pieces = inTwo(text).map(async (content) => {
      const body = { content, add_special: false, parse_special: false }
      return Tokens.parse(await client.post('/tokenize', body, signal)).tokens
    })
    known.set(text, (await Promise.all(pieces)).flat())
  }
  return async (segments, signal) => {
    if (segments.every(({ control }) => control)) return segments.map(({ text }) => text).join('')
    const plain = segments.filter(({ control }) => !control).map(({ text }) => text)
    if (known.size > MAX_KNOWN) known.clear()
    try {
      const unknown = [...new Set(plain)].filter((text) => !known.has(text))
      for (let at = 0; at < unknown.length; at += AT_ONCE) {
        await Promise.all(unknown.slice(at, at + AT_ONCE).map((text) => tokenize(text, signal)))
      }
    } catch (error) {
      // A proxy may pass on less than the server can do.
      if (error instanceof AppError && error.details.status === 404) return encodeAsText(segments, signal)
      throw error
    }
    return segments.flatMap<string | number>(({ text, control }) =>
      control ? [text] : (known.get(text) ?? []),
    )
  }
}

const MAX_KNOWN = 10_000
/** A file may be full of control tokens, each of them two questions. */
const AT_ONCE = 8
