/**
 * Opens the arm that answers: a server, the built-in model, a GGUF file, a script, or a Model that is passed in; which
 * one is wanted was decided in `config/choose-arm.ts`. What an arm stands on is loaded when one of its kind is opened:
 * a run waits for no engine and no wire format but its own.
 */
import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { armSizes } from './arm-sizes.ts'
import type { ServerArmParts } from './server-arm.ts'
import { learnWindow } from '../context/budget.ts'
import type { NanoModel } from '../nano/model.ts'
import { packageFile } from '../lib/package-files.ts'
import type { ArmSettings, Capabilities } from '../protocol/arm.ts'
import type { Classification } from '../protocol/classification.ts'
import { AppError } from '../protocol/error.ts'
import type { Embedder } from '../protocol/embedder.ts'
import type { Model } from '../protocol/model.ts'
import type { Files } from '../protocol/tool.ts'
import type { FoundAgent } from '../provider/agents/model.ts'
import { type Arm, createArm } from '../router/arm.ts'
import { checkedByWords } from '../router/classify.ts'
import { NANO_ID } from '../protocol/nano-id.ts'
import { CLOUD_WINDOW, USUAL_WINDOW } from '../protocol/token-limits.ts'
import { defined } from '../lib/object.ts'

/** Who is to answer. */
export type ArmWanted =
  | { readonly kind: 'model'; readonly model: Model }
  | { readonly kind: 'scripted'; readonly path: string }
  | ({ readonly kind: 'gguf' } & GgufWanted)
  | { readonly kind: 'nano'; readonly why: string }
  /** Another vendor's command-line agent. */
  | { readonly kind: 'agent'; readonly found: FoundAgent; readonly env: NodeJS.ProcessEnv }
  | {
      readonly kind: 'arm'
      readonly settings: ArmSettings
      readonly why: string
      /** It may not be used: it is listed, and its server is not asked for its models. */
      readonly isOff?: boolean
    }

/** A file, and what is known about using it here. */
type GgufWanted = {
  readonly path: string
  /** What it is called where its file name says nothing. */
  readonly name?: string
  readonly window?: number
  /** Conversations at a time. */
  readonly sequences?: number
}

export type ArmParts = ServerArmParts & {
  readonly cwd: string
  readonly files: Files
  readonly window?: number
  /** Where builds of the engine lie that were added; absent = only the package's own is used. */
  readonly enginesFolder?: string
}

export type OpenedArm = {
  readonly arm: Arm
  readonly why: string
  /** What a person should know before anything happens. */
  readonly warnings: readonly string[]
  /** What a request is about, by the built-in model; absent where that model or a script answers. */
  readonly classify?: (prompt: string) => Promise<Classification>
  /** Loads what classifies ahead of the first request. */
  readonly startClassifier?: () => Promise<void>
  /** Absent where it makes no vectors. */
  readonly embed?: Embedder
  /** Fills gaps; absent where the model was not trained to. */
  readonly fill?: Model
  /** Requests it works on at the same time, where that is known. */
  readonly slots?: number
  /** Whether its server answers at all; absent where there is none. */
  readonly ping?: (signal: AbortSignal) => Promise<void>
  close(): Promise<void>
}

export async function openArm(wanted: ArmWanted, parts: ArmParts): Promise<OpenedArm> {
  switch (wanted.kind) {
    case 'model':
      return opened(await wrapModel(wanted.model, parts), 'handed in')
    case 'scripted':
      return openScript(wanted.path, parts)
    case 'gguf':
      return withClassifier(await openFile(wanted, parts), parts)
    case 'nano':
      return openNano(wanted.why, parts)
    case 'agent':
      return openAgent(wanted, parts)
    case 'arm':
      return withClassifier(await openAtServer(wanted, parts), parts)
  }
}

const opened = (arm: Arm, why: string): OpenedArm => ({ arm, why, warnings: [], close: async () => {} })

async function openScript(path: string, parts: ArmParts): Promise<OpenedArm> {
  const { loadScript } = await import('../provider/load-script.ts')
  return opened(await wrapModel(await loadScript(resolve(parts.cwd, path)), parts), 'a script')
}

async function openAtServer(
  { settings, why, isOff = false }: Extract<ArmWanted, { kind: 'arm' }>,
  parts: ArmParts,
): Promise<OpenedArm> {
  const { openServer } = await import('./server-arm.ts')
  return { ...(await openServer(settings, { ...parts, isOff })), why }
}

const NANO = 'models/covey-nano.gguf'
const OPINION = 'models/covey-nano.opinion.br'

/** The helper of every larger model; its weights are read when it is first asked. */
function withClassifier(arm: OpenedArm, parts: ArmParts): OpenedArm {
  let nano: Promise<NanoModel> | undefined
  return {
    ...arm,
    async classify(prompt) {
      nano ??= loadNano(parts)
      return checkedByWords(prompt, await (await nano).classify(prompt))
    },
    async close() {
      // One that could not be loaded has nothing to close.
      const helper = nano?.then(
        (model) => model.close(),
        () => {},
      )
      await Promise.all([arm.close(), helper])
    },
  }
}

async function openNano(why: string, parts: ArmParts): Promise<OpenedArm> {
  const model = await loadNano(parts)
  // It reads far less than it is sent, by design: what it reports says nothing about its window.
  const arm = toArm(model, model.capabilities, { learn: () => undefined })
  const classify = (prompt: string) => model.classify(prompt)
  return {
    arm,
    why,
    warnings: [IN_THE_BOX],
    classify,
    startClassifier: () => model.load(),
    close: () => model.close(),
  }
}

async function loadNano({ files }: ArmParts): Promise<NanoModel> {
  const { createNanoModel } = await import('../nano/model.ts')
  const sha256 = (await readFile(packageFile(`${NANO}.sha256`), 'utf8')).slice(0, 64)
  return createNanoModel({
    path: packageFile(NANO),
    sha256,
    opinion: packageFile(OPINION),
    files,
    root: files.root,
  })
}

const IN_THE_BOX =
  `answering with ${NANO_ID}, the small built-in model. \`covey doctor\` finds a server on this machine, ` +
  '`covey models fit` says which larger model fits it.'

/** A user's file runs in a process of its own. */
async function openFile(wanted: GgufWanted, { cwd, promptsFolder, ...parts }: ArmParts): Promise<OpenedArm> {
  const { createChildModel } = await import('../embedded/child.ts')
  const { chooseBuild, describeSkipped } = await import('../embedded/builds/choose.ts')
  const path = resolve(cwd, wanted.path)
  const name = wanted.name ?? basename(path, '.gguf')
  const window = parts.window ?? wanted.window
  const choice = await chooseBuild(parts.enginesFolder)
  const model = await createChildModel({
    name,
    path,
    promptsFolder,
    ...defined({ build: choice.build, window, sequences: wanted.sequences }),
  })
  return {
    ...opened(toArm(model, model.capabilities, { estimate: model.countTokens }), 'a file'),
    warnings: describeSkipped(choice),
    close: () => model.close(),
  }
}

async function openAgent(
  { found, env }: Extract<ArmWanted, { kind: 'agent' }>,
  { cwd, incognito }: ArmParts,
): Promise<OpenedArm> {
  const id = `agent/${found.agent}`
  if (incognito) {
    throw new AppError('config-invalid', `--incognito uses local models only, and ${id} is not one.`)
  }
  const { createAgentModel } = await import('../provider/agents/model.ts')
  const { capabilitiesOf } = await import('../provider/arm-models.ts')
  const model = createAgentModel({ id, ...found, cwd, env })
  const settings = { id, kind: 'openai-compatible', model: id, headers: {}, local: false } as const
  const capabilities = capabilitiesOf({ ...settings, known: { window: CLOUD_WINDOW } }, undefined)
  return opened(createArm({ id, local: false, capabilities, native: model, ...armSizes() }), 'found on PATH')
}

/** Scripts, and whatever a program hands in. */
async function wrapModel(model: Model, { window = USUAL_WINDOW }: ArmParts): Promise<Arm> {
  if (isDescribed(model)) return toArm(model, model.capabilities, { learn: () => undefined })
  const { capabilitiesOf } = await import('../provider/arm-models.ts')
  const settings = {
    id: model.name,
    kind: 'openai-compatible',
    model: model.name,
    headers: {},
    local: true,
  } as const
  return toArm(model, capabilitiesOf({ ...settings, known: { window } }, undefined))
}

/** It says itself what it can do, as the built-in one does. */
const isDescribed = (model: Model): model is Model & { readonly capabilities: Capabilities } =>
  'capabilities' in model

type ArmCounts = { readonly learn?: typeof learnWindow; readonly estimate?: (text: string) => number }

const toArm = (
  model: Model,
  capabilities: Capabilities,
  { learn = learnWindow, estimate }: ArmCounts = {},
): Arm =>
  createArm({
    id: model.name,
    local: true,
    capabilities,
    native: model,
    ...armSizes(estimate),
    learnWindow: learn,
  })
