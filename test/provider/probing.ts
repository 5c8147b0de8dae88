/** Probing a fake server in one line. */
import { createChatTemplate } from '../../src/embedded/chat-template.ts'
import type { ArmSettings } from '../../src/protocol/arm.ts'
import type { Findings, ProbeReport } from '../../src/provider/probe/findings.ts'
import { probeArm, type ProbeOptions } from '../../src/provider/probe/run.ts'
import type { OpenTemplate } from '../../src/provider/raw/prompt.ts'
import { loadPrompt } from '../../src/context/prompts.ts'

export const settingsFor = (baseUrl: string, more: Partial<ArmSettings> = {}): ArmSettings => ({
  id: 'test-arm',
  kind: 'openai-compatible',
  model: 'test-model',
  baseUrl,
  headers: {},
  local: true,
  known: {},
  ...more,
})

const instructions = await loadPrompt('tools.md')

export const openTemplate: OpenTemplate = (source) => createChatTemplate({ ...source, instructions })

export const probe = (
  server: { readonly url: string },
  depth: ProbeOptions['depth'] = 'metadata',
  more: Partial<ArmSettings> = {},
): Promise<ProbeReport> =>
  probeArm(settingsFor(server.url, more), {
    depth,
    load: true,
    openTemplate,
    signal: new AbortController().signal,
  })

/** What was found, without where. */
export const valuesOf = (findings: Findings): Record<string, unknown> =>
  Object.fromEntries(Object.entries(findings).map(([name, finding]) => [name, finding.value]))
