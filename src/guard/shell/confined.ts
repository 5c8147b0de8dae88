/**
 * Whether a command may run unasked where nothing can be written and there is no network. Only what a command says counts
 * here, not what it could turn out to be: an expansion or a wildcard that becomes something else fails against the sandbox.
 * Never a promise that a command only reads; that is the stricter judgement of `judge-command.ts`.
 */
import { judgeFind } from './find.ts'
import { type Finding, judgeProgram } from './programs.ts'
import { readScript, type Script } from './script.ts'
import { programName } from './prefix.ts'
import { literal, type Word } from './word.ts'
import { judgeConfinedAwk, judgeConfinedGit, judgeListing } from './confined-programs.ts'
import { confinedReaders, harmlessVariable, reachingOptions } from './confined-names.ts'
import { unwrap } from './unwrap.ts'

const READS: Finding = { kind: 'read-only', why: 'it only reads' }
const doubt = (why: string): Finding => ({ kind: 'unknown', why })

const MAX_NESTING = 3

export function judgeConfined(script: Script, depth = MAX_NESTING): Promise<Finding> {
  const [written] = script.writes
  if (written !== undefined) return resolved({ kind: 'write', why: `it writes ${written.text || 'a file'}` })
  const [obscurity] = script.obscurities
  if (obscurity !== undefined) return resolved(doubt(obscurity))
  if (script.parts.length === 0) return resolved(doubt('it is empty'))
  if (depth === 0) return resolved(doubt('it is nested too deep'))
  const names = new Set(script.functions)
  return strictest(
    script.parts.map(({ words, assignments }) => {
      const steering = assignments.find((text) => !harmlessVariable(text))
      if (steering !== undefined) return resolved(doubt('variables are set for it'))
      return judgeWords(words, { functions: names, depth })
    }),
  )
}

const resolved = (finding: Finding): Promise<Finding> => Promise.resolve(finding)

async function strictest(all: readonly Promise<Finding>[]): Promise<Finding> {
  const findings = await Promise.all(all)
  return (
    findings.find(({ kind }) => kind === 'write') ?? findings.find(({ kind }) => kind === 'unknown') ?? READS
  )
}

type Surroundings = { readonly functions: ReadonlySet<string>; readonly depth: number }

async function judgeWords(words: readonly Word[], surroundings: Surroundings): Promise<Finding> {
  const [name, ...rest] = words
  if (!name || name.dynamic || name.glob) return doubt('the program is not named plainly')
  const program = programName(name.text)
  if (surroundings.functions.has(program)) return READS
  if (program.includes('/')) return doubt(`${program} is a program of its own`)
  // As if every expansion and wildcard were a harmless word: what it really is the sandbox answers for.
  const args = rest.map(({ filled }) => literal(filled))
  const inner = unwrap(program, args)
  if (inner?.kind === 'reads') return READS
  if (inner?.kind === 'unreadable') return doubt(`${program} runs what it is given`)
  if (inner?.kind === 'words') return judgeWords(inner.words, surroundings)
  if (inner?.kind === 'text') return judgeConfined(await readScript(inner.text), surroundings.depth - 1)
  if (program === 'find') return judgeConfinedFind(args, surroundings)
  return judgeKnown(program, args)
}

function judgeKnown(program: string, args: readonly Word[]): Finding {
  const texts = args.map(({ text }) => text)
  if (program === 'git') return judgeConfinedGit(args)
  if (judgeListing(program, texts)) return READS
  const strict = judgeProgram(program, args)
  if (strict.kind !== 'unknown') return strict
  if (/^[gmn]?awk$/.test(program)) return judgeConfinedAwk(texts) ? READS : strict
  const reaching = reachingOptions.get(program)
  if (reaching) return texts.some((text) => reaching.test(text)) ? strict : READS
  return confinedReaders.has(program) ? READS : strict
}

/** What it runs on each file is judged like any other command. */
function judgeConfinedFind(args: readonly Word[], surroundings: Surroundings): Promise<Finding> {
  const { kind, nested } = judgeFind(args)
  const texts = args.map(({ text }) => text)
  if (kind === 'write') return resolved({ kind, why: 'this find may change something' })
  if (texts.some((text) => /^-(?:ok|okdir|files0-from)$/.test(text)))
    return resolved(doubt('find may run or change what it finds'))
  if (nested.some((words) => words.length === 0)) return resolved(doubt('find runs nothing that is named'))
  return strictest(nested.map((words) => judgeWords(words, surroundings)))
}
