/**
 * Whether a server reads a prompt of ours as it would read the conversation itself. A template is accepted only if chat
 * and raw prompt report the same count for three conversations; a grammar counts only if the answer obeys it.
 */
import { z } from 'zod'
import type { ArmSettings } from '../../protocol/arm.ts'
import { AppError } from '../../protocol/error.ts'
import { CONVERSATIONS, toRequest } from './conversations.ts'
import { found, mergeFindings, type Findings } from './findings.ts'
import type { AskProbe } from './ask.ts'
import { createRawModel } from '../raw/model.ts'
import { openRawTemplate, type OpenTemplate } from '../raw/prompt.ts'
import type { ServerClient } from '../server-client.ts'
import { ASSUMED_WINDOW } from '../../protocol/token-limits.ts'

export type RawProbe = {
  readonly settings: ArmSettings
  readonly client: ServerClient
  readonly findings: Findings
  readonly ask: AskProbe
  readonly openTemplate: OpenTemplate
}

export async function probeRaw(probe: RawProbe, signal: AbortSignal): Promise<Findings> {
  const { settings, client, findings, openTemplate } = probe
  const { model, id } = settings
  const wish = { model, dialect: settings.known.dialect }
  const template = await openRawTemplate(findings, wish, openTemplate)
  if (!template) {
    return mergeFindings({ rawPrompt: found(false, 'no template that can be rendered here') })
  }
  const window = findings.window?.value ?? ASSUMED_WINDOW
  const raw = createRawModel({ name: id, model, client, findings, template, window })
  const from = 'the count of three conversations, as chat and as prompt'
  for (const conversation of CONVERSATIONS) {
    const chat = await probe.ask({ ...conversation, emission: template.emission, maxTokens: 1 })
    const counted = await promptCount(raw.stream(toRequest(conversation), signal))
    if (counted === undefined || counted !== chat.usage?.prompt) {
      return mergeFindings({ rawPrompt: found(false, from) })
    }
  }
  return mergeFindings({ rawPrompt: found(true, from) })
}

async function promptCount(
  events: ReturnType<ReturnType<typeof createRawModel>['stream']>,
): Promise<number | undefined> {
  let counted: number | undefined
  try {
    for await (const event of events) if (event.type === 'usage') counted = event.usage.prompt
    return counted
  } catch (error) {
    if (error instanceof AppError && error.details.status !== undefined) return undefined
    throw error
  }
}

const Completion = z.object({ content: z.string() })

/** llama.cpp takes a grammar; some builds drop it without a word. */
export async function probeGrammar(client: ServerClient, signal: AbortSignal): Promise<Findings> {
  const body = { prompt: 'Say hello.', n_predict: 8, temperature: 0, grammar: 'root ::= "heron-" [0-9]' }
  const from = 'an answer by grammar'
  try {
    const { content } = Completion.parse(await client.post('/completion', body, signal))
    return mergeFindings({ grammar: found(/^heron-\d$/.test(content.trim()), from) })
  } catch (error) {
    if (signal.aborted) throw error
    return mergeFindings({ grammar: found(false, from) })
  }
}
