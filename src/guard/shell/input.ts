/** Commands that come to a shell by its input: here-documents, here-strings, and what is piped into it. Pure. */
import type { Part, Script } from './script.ts'

const SHELL = /^(?:bash|sh|dash|zsh|ksh|ash|fish)$/

/** Texts that something in the script would run; good for denying only. */
export function inputTexts(script: Script): readonly string[] {
  if (!script.parts.some(takesInput)) return []
  const texts = [...script.inputs, ...script.parts.filter(prints).map(({ words }) => printed(words))]
  // What make runs stands behind a tab, or behind a semicolon, and may begin with one of these.
  return script.parts.some(isMake)
    ? texts.map((text) => text.replaceAll(/(^|[;\t])\s*[-@+]+/gm, '$1'))
    : texts
}

/** It runs code that cannot be checked beforehand. */
export function hasUnreadable(script: Script): boolean {
  // What is printed and then decoded is not what runs.
  const isPiped = script.parts.every((part) => prints(part) || takesInput(part) || isCd(part))
  const printing = script.parts.filter(prints)
  const isPrinted = isPiped && printing.length > 0 && printing.every(isPlainText)
  const hasInput = script.inputs.length > 0 || isPrinted
  return script.parts.some((part) => {
    const [name, ...args] = part.words
    if (!name || name.dynamic) return true
    const program = baseName(name.text)
    if (/^(?:eval|source|\.)$/.test(program)) return args.some(({ dynamic }) => dynamic)
    if (SHELL.test(program) && args.some(({ text, dynamic }) => dynamic || /^-\w*c$/.test(text)))
      return args.some(({ dynamic }) => dynamic)
    // A makefile has variables and functions of its own.
    return takesInput(part) && (!hasInput || isMake(part))
  })
}

/** A shell without a script of its own, `make -f -`, and others that read what to run from stdin. */
function takesInput({ words }: Part): boolean {
  const names = words.map(({ text }) => baseName(text))
  const at = names.findIndex(
    (name) => SHELL.test(name) || /^(?:g?make|at|batch|xargs|parallel|source|\.)$/.test(name),
  )
  if (
    at < 0 ||
    (at > 0 && !/^(?:env|sudo|doas|nice|nohup|time|timeout|command|exec|xargs|busybox)$/.test(names[0] ?? ''))
  )
    return false
  const rest = words.slice(at + 1).map(({ text }) => text)
  if (names[at]?.endsWith('make'))
    return /-f(?: ?(?:-|\/dev\/stdin))?(?: -|$)|--(?:make)?file=-/.test(rest.join(' '))
  if (SHELL.test(names[at] ?? '')) return !rest.some((text) => /^-\w*c$/.test(text)) && isFromInput(rest)
  return names[at] === 'source' || names[at] === '.'
    ? isFromInput(rest)
    : /^(?:at|batch)$/.test(names[at] ?? '')
}

const isFromInput = (rest: readonly string[]): boolean =>
  rest.every((text) => /^(?:-.*|\/dev\/(?:stdin|fd\/0))$/.test(text)) || rest.includes('-s')

const prints = ({ words }: Part): boolean => /^(?:echo|printf)$/.test(baseName(words[0]?.text ?? ''))
const isMake = ({ words }: Part): boolean => words.some(({ text }) => /^g?make$/.test(baseName(text)))

/** Nothing in it is made only while it is printed: no format, no code of a character. */
const isPlainText = ({ words }: Part): boolean =>
  words.slice(1).every(({ dynamic }) => !dynamic) && !/\\|%/.test(printed(words))

const isCd = ({ words }: Part): boolean => words[0]?.text === 'cd'

const printed = (words: Part['words']): string =>
  words
    .slice(1)
    .map(({ filled }) => filled)
    .join(' ')
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t')

const baseName = (text: string): string => text.slice(text.lastIndexOf('/') + 1).toLowerCase()
