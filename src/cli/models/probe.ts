/**
 * `covey models probe` and `covey models show` for an arm: what its server and its model can do, and how that was found
 * out. Asking is handed in; this file finds the arm and prints.
 */
import { chooseArm } from '../../config/choose-arm.ts'
import { loadConfig } from '../../config/load.ts'
import { cleanControl, jsonLine } from '../../lib/clean.ts'
import { isObject } from '../../lib/json.ts'
import { maskUrls } from '../../lib/mask-url.ts'
import type { ArmSettings, Capabilities } from '../../protocol/arm.ts'
import { AppError } from '../../protocol/error.ts'
import { requireArgument, type ModelsAction, type ModelsService } from './local.ts'
import { showModel } from './show.ts'

type ProbedArm = {
  /** As the server completed them. */
  readonly settings: ArmSettings
  readonly findings: Readonly<Record<string, { readonly value: unknown; readonly from: string } | undefined>>
  readonly warnings: readonly string[]
  readonly capabilities: Capabilities
}

type ProbeWish = {
  readonly settings: ArmSettings
  /** `full` also asks the model a dozen short questions. */
  readonly depth: 'metadata' | 'full'
}

export type ProbeArm = (env: NodeJS.ProcessEnv, wish: ProbeWish, signal: AbortSignal) => Promise<ProbedArm>

export const createProbeActions = (probe: ProbeArm): Readonly<Record<'probe' | 'show', ModelsAction>> => ({
  probe: (service) => probeAndPrint(service, probe, 'full'),
  async show(service) {
    const [name] = service.context.args
    return name !== undefined && (await isArm(service, name))
      ? probeAndPrint(service, probe, 'metadata')
      : showModel(service)
  },
})

async function isArm({ context: { env, cwd } }: ModelsService, name: string): Promise<boolean> {
  const { config } = await loadConfig({ env, cwd })
  return isAddress(name) || Object.hasOwn(config.arms, name)
}

async function probeAndPrint(
  service: ModelsService,
  probe: ProbeArm,
  depth: ProbeWish['depth'],
): Promise<number> {
  const { context, json } = service
  const { io, env, signal } = context
  const wanted = await requireSettings(service)
  const name = maskUrls(wanted.id || (wanted.baseUrl ?? ''))
  if (depth === 'full' && !json) io.err(`Asking ${cleanControl(name)} what it can do...\n`)
  const { settings, ...probed } = await probe(env, { settings: wanted, depth }, signal)
  if (json) io.out(jsonLine({ arm: settings.id, ...probed }))
  else io.out(`${toText(settings, probed)}\n`)
  return 0
}

/** An arm by its name, or a server by its address and the name of a model on it. */
async function requireSettings({ context }: ModelsService): Promise<ArmSettings> {
  const name = requireArgument(context, 'an arm of config.toml, or an address and a model')
  const { config } = await loadConfig({ env: context.env, cwd: context.cwd })
  const [, model] = context.args
  const wish = isAddress(name) ? { baseUrl: name, ...(model !== undefined && { model }) } : { model: name }
  const choice = chooseArm(config, wish, context.env)
  if (choice.kind === 'arm') return choice.settings
  throw new AppError(
    'config-invalid',
    choice.kind === 'named' && choice.noArm !== undefined
      ? choice.noArm
      : `${name} is not a server. \`covey models show ${name}\` describes a model file.`,
  )
}

const isAddress = (text: string): boolean => /^https?:\/\//.test(text)

function toText(
  { id, model }: ArmSettings,
  { findings, warnings, capabilities }: Omit<ProbedArm, 'settings'>,
): string {
  const found = Object.entries(findings).flatMap(([name, finding]) =>
    finding ? [[LABELS[name] ?? name, toValue(name, finding.value), finding.from] as const] : [],
  )
  const widths = [0, 1].map((column) => Math.max(0, ...found.map((cells) => cells[column]?.length ?? 0)))
  const rows = found.map(
    ([label, value, from]) => `  ${label.padEnd(widths[0] ?? 0)}  ${value.padEnd(widths[1] ?? 0)}  ${from}`,
  )
  return [`${id}  ${model}`, ...rows, '', ...toUse(capabilities), ...warnings.map((text) => `! ${text}`)]
    .map(cleanControl)
    .join('\n')
}

const LABELS: Readonly<Record<string, string>> = {
  largestWindow: 'largest window',
  bos: 'first token',
  eos: 'last token',
  nativeTools: 'native tools',
  parallelCalls: 'parallel calls',
  requiredChoice: 'required choice',
  jsonSchema: 'JSON schema',
  strictRoles: 'strict roles',
  systemRole: 'system role',
  toolRole: 'tool role',
  rawPrompt: 'raw prompts',
  prefillSpeed: 'reads',
  decodeSpeed: 'writes',
}

function toValue(name: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (name === 'template') return `${String(value).length} characters`
  if (name.endsWith('Speed')) return `${Math.round(Number(value))} tokens/s`
  if (/window/i.test(name)) return `${String(value)} tokens`
  return isObject(value) ? JSON.stringify(value) : String(value)
}

/** What follows from it, configuration included. */
function toUse({ window, windowFrom, tools, emission, dialect }: Capabilities): string[] {
  const shape = [
    emission.base,
    ...(emission.strict ? ['strict'] : []),
    ...(emission.noSystem ? ['no system role'] : []),
  ]
  return [
    `Used with a window of ${window} tokens (${windowFrom}), ${TOOLS[tools]}, messages as ${shape.join(', ')}` +
      (dialect === undefined ? '.' : `, dialect ${dialect}.`),
  ]
}

const TOOLS: Readonly<Record<Capabilities['tools'], string>> = {
  native: "the server's own tool calls",
  raw: 'prompts rendered here',
  text: 'tools described as text',
}
