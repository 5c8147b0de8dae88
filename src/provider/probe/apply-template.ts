/**
 * llama.cpp renders a conversation on request without asking the model. A model whose template shows no tools gets none
 * by chat, without a word from the server; where our rendering is the server's own, it is asked with prompts of ours.
 */
import { z } from 'zod'
import { emit } from '../../context/emit.ts'
import { requireDialect } from '../../dialect/all.ts'
import type { ArmSettings } from '../../protocol/arm.ts'
import type { ServerClient } from '../server-client.ts'
import { openRawTemplate, type OpenTemplate, type RawTemplate } from '../raw/prompt.ts'
import { CONVERSATIONS, toRequest } from './conversations.ts'
import { found, mergeFindings, type Findings } from './findings.ts'

const FROM = 'POST /apply-template'
const PATIENCE_MS = 2_000

export type AppliedProbe = {
  readonly settings: ArmSettings
  readonly client: ServerClient
  readonly findings: Findings
  readonly openTemplate: OpenTemplate
}

/** Nothing where native calls may work, or where the server does not say how it renders. */
export async function probeApplied(probe: AppliedProbe, signal: AbortSignal): Promise<Findings> {
  const { settings, client, findings, openTemplate } = probe
  if (findings.server?.value !== 'llama.cpp' || findings.nativeTools?.value !== false) return {}
  const wish = { model: settings.model, dialect: settings.known.dialect }
  const template = await openRawTemplate(findings, wish, openTemplate)
  if (!template) return mergeFindings({ rawPrompt: found(false, 'no template that can be rendered here') })
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
  try {
    for (const conversation of CONVERSATIONS) {
      const request = toRequest(conversation)
      const theirs = await rendered(client, messagesFor(request, template), limit)
      const ours = (await template.render(request, NOTHING)).map(({ text }) => text).join('')
      if (withoutStart(theirs, findings) !== withoutStart(ours, findings))
        return mergeFindings({ rawPrompt: found(false, FROM) })
    }
    return mergeFindings({ rawPrompt: found(true, FROM) })
  } catch {
    // An older server does not have the path; a full probe compares counts.
    signal.throwIfAborted()
    return {}
  }
}

const NOTHING = /(?!)/g

const Applied = z.object({ prompt: z.string() })

const rendered = async (client: ServerClient, messages: unknown, signal: AbortSignal): Promise<string> =>
  Applied.parse(await client.post('/apply-template', { messages }, signal)).prompt

const messagesFor = (request: ReturnType<typeof toRequest>, { emission, family }: RawTemplate) =>
  emit(request, emission, requireDialect(family.name), { reasoning: 'drop', vision: false })

/** The server puts the first token there by itself, and takes it out of what a template wrote. */
const withoutStart = (prompt: string, { bos }: Findings): string =>
  bos && bos.value !== '' && prompt.startsWith(bos.value) ? prompt.slice(bos.value.length) : prompt
