/** What the Python side says: tables, worked examples, held-out requests and their folders. */
import { readFileSync } from 'node:fs'
import type { Category } from '../../../src/protocol/tool.ts'
import type { NanoParameter } from '../../../src/nano/weights/tools.ts'
import type { Segment } from '../../../src/embedded/segment.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Paths and their texts. */
export type Folder = Readonly<Record<string, string>>

type Example = {
  readonly request: string
  readonly paths: readonly string[]
  readonly scripts: readonly (readonly string[])[]
  readonly globs: readonly string[]
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

type Golden = {
  readonly files: Folder
  readonly requests: readonly (Example & { readonly prompt: readonly Segment[] })[]
  readonly heldOut: readonly (Example & {
    readonly folder: string
    /** Path, number and text of each. */
    readonly lines: readonly (readonly [string, number, string])[]
  })[]
  /** As dictated, and as it would be typed. */
  readonly spoken: readonly (readonly [string, string])[]
  /** Requests and their clauses. */
  readonly clauses: readonly (readonly [string, readonly string[]])[]
  /** Calls with their results (name, arguments, whether it worked, text), and the paths they speak of. */
  readonly recent: readonly {
    readonly steps: readonly (readonly [string, Readonly<Record<string, unknown>>, boolean, string])[]
    readonly paths: readonly string[]
  }[]
  readonly lined: Folder
  /** What is shown with the first clause, and with the last after steps that `recent` comes from. */
  readonly later: readonly {
    readonly request: string
    readonly recent: readonly string[]
    readonly sources: readonly unknown[]
  }[]
  readonly classify: readonly (readonly Segment[])[]
  readonly conversation: readonly Segment[]
  readonly calls: readonly {
    readonly request: string
    readonly folder: string
    readonly category: Category | 'answer'
    readonly calls: readonly {
      readonly name: string
      readonly input: Readonly<Record<string, unknown>>
      readonly accepted: boolean
    }[]
  }[]
}

export const golden = JSON.parse(read('../fixtures/nano-golden.json')) as Golden

type Contract = {
  readonly special_tokens: readonly string[]
  readonly fields: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly forms: Readonly<Record<string, string>>
  readonly reasons: Readonly<Record<string, string>>
  readonly tools: Readonly<
    Record<
      string,
      {
        readonly signature: string
        readonly parameters: readonly NanoParameter[]
        readonly forms: { readonly ok: readonly string[]; readonly failed: readonly string[] }
      }
    >
  >
  readonly offers: Readonly<Record<string, readonly string[]>>
  readonly sources: {
    readonly stop_words: readonly string[]
    readonly type_words: Readonly<Record<string, string>>
    readonly runners: Readonly<Record<string, string>>
    readonly git_words: readonly string[]
    readonly git_commands: readonly string[]
    readonly bare_names: readonly string[]
  }
}

export const contract = JSON.parse(read('../../../nano/contract.json')) as Contract

/** Requests and the tokens the Python tokenizer makes of their classification. */
export const vectors = JSON.parse(read('../../../nano/vectors.json')) as readonly {
  readonly request: string
  readonly classify_tokens: readonly number[]
}[]

const folders = new Map<string, Folder>()

export function heldOutFolder(name: string): Folder {
  const folder = folders.get(name) ?? (JSON.parse(read(`../../../nano/eval/folders/${name}.json`)) as Folder)
  folders.set(name, folder)
  return folder
}
