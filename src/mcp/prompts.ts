/**
 * Prompts of servers: the person types `/server:prompt words`, and what the server makes of it is what they said. Pure.
 */
import { z } from 'zod'
import { BoundedOutput } from '../lib/bounded-output.ts'
import { AppError } from '../protocol/error.ts'
import { contentPart, toText } from './content.ts'

/** One prompt as `prompts/list` reports it, and as it is kept. */
export const declaredPromptSchema = z.object({
  name: z.string().regex(/^[^\s\p{C}]{1,100}$/u, 'is no word that can be typed'),
  description: z.string().max(20_000).catch(''),
  arguments: z
    .array(z.object({ name: z.string().min(1).max(100), required: z.boolean().catch(false) }))
    .max(20)
    .catch([]),
})
export type DeclaredPrompt = z.output<typeof declaredPromptSchema>

/** Absent where the words are no name of a prompt. `server` is the name it has here. */
export function readPromptCall(words: string): PromptCall | undefined {
  const [, server, name, rest = ''] = /^\/([\w-]+):(\S+)(?:\s+([^]*))?$/.exec(words.trim()) ?? []
  return server === undefined || name === undefined ? undefined : { server, name, rest: rest.trim() }
}

export type PromptCall = { readonly server: string; readonly name: string; readonly rest: string }

/** `name=word` fills that argument; whatever else was typed fills the first that is left. */
export function toArguments(
  { name, arguments: wanted }: DeclaredPrompt,
  { server, rest }: PromptCall,
): Record<string, string> {
  const given: Record<string, string> = {}
  const others = rest.replace(/(?<=^|\s)([\w-]+)=(\S+)\s*/g, (whole, key: string, value: string) => {
    if (!wanted.some((argument) => argument.name === key)) return whole
    given[key] = value
    return ''
  })
  const first = wanted.find((argument) => !Object.hasOwn(given, argument.name))
  if (first && others.trim() !== '') given[first.name] = others.trim()
  const missing = wanted.filter((argument) => argument.required && !Object.hasOwn(given, argument.name))
  if (missing.length === 0) return given
  const usage = wanted.map((argument) => (argument.required ? `${argument.name}=…` : `[${argument.name}=…]`))
  throw new AppError(
    'request-invalid',
    `/${server}:${name} needs ${missing.map((argument) => argument.name).join(' and ')}: /${server}:${name} ${usage.join(' ')}`,
  )
}

/** What `prompts/get` answers. */
export const promptResultSchema = z.object({
  messages: z
    .array(z.object({ role: z.string().max(20), content: contentPart }))
    .min(1)
    .max(100),
})

/** One message as it is; of several each says whose words it holds. */
export function toPromptText({ messages }: z.output<typeof promptResultSchema>): string {
  const output = new BoundedOutput()
  const [only] = messages
  if (only && messages.length === 1) output.add(Buffer.from(toText(only.content)))
  else for (const { role, content } of messages) output.add(Buffer.from(`${role}: ${toText(content)}\n\n`))
  return output.take().text.trim()
}
