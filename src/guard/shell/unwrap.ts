/** Programs that run another one: which, as far as their arguments say it. Pure. */
import type { Word } from './word.ts'
import { harmlessVariable } from './confined-names.ts'

export type Unwrapped =
  | { readonly kind: 'words'; readonly words: readonly Word[] }
  /** A script of its own. */
  | { readonly kind: 'text'; readonly text: string }
  /** It runs nothing, it only prints. */
  | { readonly kind: 'reads' }
  | { readonly kind: 'unreadable' }

/** `undefined` for a program that is no wrapper, or one that is not known. */
export function unwrap(program: string, args: readonly Word[]): Unwrapped | undefined {
  if (SHELLS.has(program)) return unwrapShell(args)
  if (program === 'env') return unwrapEnv(args)
  if (program === 'command' && /^-[vV]/.test(args[0]?.text ?? '')) return { kind: 'reads' }
  const wrapper = wrappers[program]
  if (!wrapper) return undefined
  const inner = behindOptions(args, wrapper)
  if (!inner) return { kind: 'unreadable' }
  const words = inner.slice(wrapper.operands ?? 0)
  if (words.length > 0) return { kind: 'words', words }
  return wrapper.alone ? { kind: 'reads' } : { kind: 'unreadable' }
}

type Wrapper = {
  /** Options that stand alone. */
  readonly flags: RegExp
  /** Options whose value is the next word. */
  readonly values?: RegExp
  /** Words of its own before the command. */
  readonly operands?: number
  /** Harmless without a command. */
  readonly alone?: true
}

const wrappers: Readonly<Record<string, Wrapper>> = {
  time: { flags: /^-[pv]$/ },
  timeout: {
    flags: /^(?:--(?:preserve-status|foreground|verbose|signal=.*|kill-after=.*)|-v|-[sk].+)$/,
    values: /^-[sk]$/,
    operands: 1,
  },
  nice: { flags: /^(?:-\d+|-n-?\d+|--adjustment=.*)$/, values: /^-n$/, alone: true },
  ionice: { flags: /^-(?:[cn]\d|t)$/, values: /^-[cn]$/ },
  stdbuf: { flags: /^(?:-[ioe](?:L|\d+)|--(?:input|output|error)=.*)$/, values: /^-[ioe]$/ },
  nohup: { flags: /^$/ },
  command: { flags: /^-p$/ },
  builtin: { flags: /^$/ },
  xargs: {
    flags:
      /^(?:-[0rtx]+|-[nLPsdEI].+|-0?[nLPI]\d*|--(?:null|no-run-if-empty|verbose|exit|max-[a-z]+=.*|delimiter=.*|replace(?:=.*)?|arg-file=.*))$/,
    values: /^-[0rtx]*[nLPsdEIa]$|^--(?:max-[a-z]+|delimiter|arg-file)$/,
    alone: true,
  },
}

function behindOptions(args: readonly Word[], { flags, values }: Wrapper): readonly Word[] | undefined {
  let index = 0
  for (; index < args.length; index++) {
    const text = args[index]?.text ?? ''
    if (text === '--') return args.slice(index + 1)
    if (!text.startsWith('-') || text === '-') break
    if (values?.test(text)) index++
    else if (!flags.test(text)) return undefined
  }
  return args.slice(index)
}

const SHELLS = new Set(['bash', 'sh', 'dash', 'zsh', 'ksh', 'ash'])

/** `-c` with its text, or `-n`, which only looks whether a script can be read. */
function unwrapShell(args: readonly Word[]): Unwrapped {
  const texts = args.map(({ text }) => text)
  if (texts.length === 1 && /^--(?:version|help)$/.test(texts[0] ?? '')) return { kind: 'reads' }
  if (texts[0] === '-n' && texts.length > 1) return { kind: 'reads' }
  const at = texts.findIndex((text) => /^-[a-z]*c$/.test(text))
  const isPlain = texts.slice(0, at).every((text) => /^(?:-[a-z]+|--norc|--noprofile|pipefail)$/.test(text))
  const text = at < 0 || !isPlain ? undefined : texts[at + 1]
  return text === undefined ? { kind: 'unreadable' } : { kind: 'text', text }
}

function unwrapEnv(args: readonly Word[]): Unwrapped {
  let index = 0
  for (; index < args.length; index++) {
    const text = args[index]?.text ?? ''
    if (text === '-u' || text === '-C') index++
    else if (/^(?:-|-i|-0|--ignore-environment|--null|--unset=.*|--chdir=.*)$/.test(text)) continue
    else if (/^\w+=/.test(text) && harmlessVariable(text)) continue
    else if (/^-|^\w+=/.test(text)) return { kind: 'unreadable' }
    else break
  }
  const words = args.slice(index)
  return words.length > 0 ? { kind: 'words', words } : { kind: 'reads' }
}
