/**
 * Whether a command may run without a question, and whether it only reads. Parsing can only lower trust: whatever is not
 * understood is asked for, and what a command can do at all is decided by the sandbox, not here.
 */
import { judgeConfined } from './confined.ts'
import { wrappers } from './names.ts'
import { inputTexts, hasUnreadable } from './input.ts'
import { denyingPrefix, denyingText, isAllowed, programName, runsOthers } from './prefix.ts'
import { type Finding, judgeProgram, type Kind } from './programs.ts'
import { type Part, readScript, type Script, unread } from './script.ts'

export type JudgeOptions = {
  /** Prefixes of commands, such as `npm test`. */
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  /**
   * It will run in a sandbox. Without one no rule covers git: even `git status` runs what the configuration of the
   * repository names.
   */
  readonly sandboxed?: boolean
}

export type Judgement = {
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly kind: Kind
  /** For a person. */
  readonly why: string
}

/** Never throws: what cannot be judged is asked for. */
export async function judgeCommand(command: string, options: JudgeOptions = {}): Promise<Judgement> {
  try {
    return decide(await readCommand(command), options)
  } catch {
    return { verdict: 'ask', kind: 'unknown', why: 'it could not be judged' }
  }
}

/** A command with everything that can be known about it without running it. */
export type Reading = {
  readonly text: string
  readonly script: Script
  /** One for each part of the script, in its order. */
  readonly findings: readonly Finding[]
  /** Commands in texts that a wrapper would run; good for denying only. */
  readonly nested: readonly Script[]
  readonly kind: Kind
  readonly why: string
  /** Some of it is a command only once it runs: `bash -c "$x"`, `curl … | sh`. */
  readonly isUnreadable: boolean
  /** Whether it may run unasked where nothing can be written and there is no network; looser than `kind`. */
  readonly confined: Finding
}

export async function readCommand(text: string): Promise<Reading> {
  const script = await readScript(text)
  const findings = script.parts.map((part) => findingOf(part, script))
  const nested = await readNested(script, MAX_NESTING)
  const strict = kindOf(script, findings)
  const confined = strict.kind === 'read-only' ? strict : await judgeConfined(script)
  const isUnreadable = [script, ...nested].some(hasUnreadable)
  return { text, script, findings, nested, isUnreadable, ...strict, confined }
}

export function decide(reading: Reading, { allow = [], deny = [], sandboxed }: JudgeOptions): Judgement {
  const { kind, script } = reading
  const denied = denyOf(reading, deny)
  if (denied !== undefined) return { verdict: 'deny', kind, why: `"${denied}" is denied` }
  const isAll = script.parts.length > 0 && script.parts.every((part) => isAllowed(part, allow))
  const obeysProject = !sandboxed && script.parts.some(({ words }) => words[0]?.text === 'git')
  if (isAll && obeysProject) return { verdict: 'ask', kind, why: 'git runs what the repository configures' }
  if (isAll && isClear(script)) return { verdict: 'allow', kind, why: 'every part of it is allowed' }
  return { verdict: 'ask', kind, why: reading.why }
}

/** Nothing in it but its parts. */
export const isClear = ({ doubts, writes }: Script): boolean => doubts.length === 0 && writes.length === 0

function denyOf({ text, script, nested }: Reading, deny: readonly string[]): string | undefined {
  if (deny.length === 0) return undefined
  const scripts = [script, ...nested]
  for (const part of scripts.flatMap(({ parts }) => parts)) {
    const prefix = denyingPrefix(part, deny)
    if (prefix !== undefined) return prefix
  }
  // A limit must never turn a denial into a question.
  return scripts.some(({ isPartial }) => isPartial) ? denyingText(text, deny) : undefined
}

function findingOf({ words, hasAssignment }: Part, script: Script): Finding {
  const [name, ...args] = words
  if (!name?.plain || name.dynamic) return { kind: 'unknown', why: 'the program is not named plainly' }
  const program = programName(name.text)
  if (hasAssignment) return { kind: 'unknown', why: 'variables are set for it' }
  if (program.includes('/')) return { kind: 'unknown', why: `${program} is a program of its own` }
  const finding = judgeProgram(program, args)
  if (finding.kind === 'write') return finding
  if (args.some(({ dynamic }) => dynamic))
    return { kind: 'unknown', why: 'its arguments are known only when it runs' }
  if (finding.kind === 'unknown' && wrappers.has(program))
    return { kind: 'unknown', why: `${program} runs what it is given` }
  return program === 'git' && changesFolder(script)
    ? { kind: 'unknown', why: 'git in another folder obeys another configuration' }
    : finding
}

const changesFolder = ({ parts }: Script): boolean =>
  parts.some(({ words }) => /^(?:cd|pushd|popd)$/.test(words[0]?.text ?? ''))

function kindOf({ parts, writes, doubts }: Script, findings: readonly Finding[]): Finding {
  const [written] = writes
  if (written !== undefined) return { kind: 'write', why: `it writes ${written.text || 'a file'}` }
  const writing = findings.find(({ kind }) => kind === 'write')
  if (writing) return writing
  const [doubt] = doubts
  if (doubt !== undefined) return { kind: 'unknown', why: doubt }
  const unknown = findings.find(({ kind }) => kind === 'unknown')
  if (unknown) return unknown
  return parts.length > 0
    ? { kind: 'read-only', why: 'it only reads' }
    : { kind: 'unknown', why: 'it is empty' }
}

const MAX_NESTING = 3

/** Arguments of wrappers that are commands themselves: `bash -c '…'`, `env -S '…'`, `git -c alias.x='…' x`. */
async function readNested(script: Script, depth: number): Promise<readonly Script[]> {
  const given = script.parts
    .filter(runsOthers)
    .flatMap(({ words }) => words.slice(1).map(({ text }) => commandIn(text)))
    .filter((text) => /[\s;|&$`(]/.test(text))
  const texts = [...given, ...inputTexts(script)]
  if (texts.length === 0) return []
  if (depth === 0 || texts.length > MAX_NESTED_TEXTS) return [UNREAD]
  const scripts = await Promise.all(texts.map(readScript))
  const deeper = await Promise.all(scripts.map((inner) => readNested(inner, depth - 1)))
  return [...scripts, ...deeper.flat()]
}

/** An alias stands for what git would do, or for a command of its own behind a `!`. */
const commandIn = (text: string): string =>
  text.replace(/^[\w.-]*=?!/, '').replace(/^alias\.[\w.-]+=/i, 'git ')

const MAX_NESTED_TEXTS = 20
const UNREAD: Script = unread('it is nested too deep')
