/**
 * What is found out about a model server and the model on it, each value with where it came from. What is not answered
 * is absent: unknown stays unknown.
 */
import { z } from 'zod'

const serverKinds = ['ollama', 'llama.cpp', 'lm-studio', 'vllm', 'llama-cpp-python', 'unknown'] as const
export type ServerKind = (typeof serverKinds)[number]

const tokens = z.int().min(256)

/** Read again at every start: these change when the server is started in another way. */
const metadata = {
  server: z.enum(serverKinds),
  version: z.string(),
  /** Names the weights and how they are served; what was learnt about one holds for no other. */
  digest: z.string(),
  /** What one request may use, as the model is loaded now. */
  window: tokens,
  /** What the model could do. */
  largestWindow: tokens,
  /** Requests that are worked on at the same time. */
  slots: z.int().positive(),
  vision: z.boolean(),
  /** The chat template, as Jinja. */
  template: z.string(),
  bos: z.string(),
  eos: z.string(),
}

/** Learnt by asking the model something; kept per digest. */
const behaviour = {
  /** Texts become vectors here. Some servers say so themselves; whether it is true shows when one is asked for. */
  embeddings: z.boolean(),
  nativeTools: z.boolean(),
  /** How the model writes calls into its text. */
  dialect: z.string(),
  parallelCalls: z.boolean(),
  requiredChoice: z.boolean(),
  jsonSchema: z.boolean(),
  grammar: z.boolean(),
  /** Schemas may hold `pattern`. */
  patterns: z.boolean(),
  strictRoles: z.boolean(),
  systemRole: z.boolean(),
  toolRole: z.boolean(),
  /** A prompt we render is read as the server's own would be. */
  rawPrompt: z.boolean(),
  /** Tokens a second. */
  prefillSpeed: z.number().positive(),
  decodeSpeed: z.number().positive(),
}

const finding = <T extends z.ZodType>(value: T) => z.object({ value, from: z.string() })
const findings = <T extends Record<string, z.ZodType>>(values: T) =>
  z.object(
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, finding(value).exactOptional()])),
  )

type Values = { [Name in keyof typeof metadata]: z.output<(typeof metadata)[Name]> } & {
  [Name in keyof typeof behaviour]: z.output<(typeof behaviour)[Name]>
}

export type Finding<T> = {
  readonly value: T
  /** The question that was answered: `GET /props`, or what the model was asked to do. */
  readonly from: string
}

export type Findings = { readonly [Name in keyof Values]?: Finding<Values[Name]> }
export type FindingName = keyof Findings

/** Checks what a file says; anything else than behaviour is left out. */
export const behaviourFindings = findings(behaviour) as unknown as z.ZodType<Findings>

export const behaviourNames = Object.keys(behaviour) as readonly FindingName[]

export type ProbeReport = {
  readonly findings: Findings
  /** What a person should know. */
  readonly warnings: readonly string[]
}

export function found<T extends string | number | boolean>(value: T, from: string): Finding<T>
export function found<T>(value: T | undefined, from: string): Finding<T> | undefined
export function found<T>(value: T | undefined, from: string): Finding<T> | undefined {
  return value === undefined ? undefined : { value, from }
}

/** Later ones win; what is undefined takes nothing away. */
export const mergeFindings = (
  ...all: readonly { readonly [Name in FindingName]?: Findings[Name] | undefined }[]
): Findings =>
  Object.assign(
    {},
    ...all.map((each) =>
      Object.fromEntries(Object.entries(each).filter(([, finding]) => finding !== undefined)),
    ),
  ) as Findings
