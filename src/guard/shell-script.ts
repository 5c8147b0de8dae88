/**
 * What a command line would run, as far as it can be known: the simple commands in it, wherever they stand, and every
 * reason why that may not be all. Nothing is ever left out in silence: what the walk does not know becomes a reason.
 */
import type { Node } from 'web-tree-sitter'
import { MAX_COMMAND, withShellTree } from './shell-tree.ts'
import { hasHidden } from './shown.ts'
import { literal, readWord, type Word } from './shell-word.ts'

export type Part = {
  /** The program and its arguments. */
  readonly words: readonly Word[]
  /** Variables set in front of it. */
  readonly hasAssignment: boolean
}

export type Script = {
  readonly parts: readonly Part[]
  /** Files that redirections write. */
  readonly writes: readonly string[]
  /** Why this may run more than its parts say; empty = it is all understood. */
  readonly doubts: readonly string[]
  /** The parts may be incomplete: the text was not read to its end. */
  readonly isPartial: boolean
}

const MAX_PARTS = 100
const MAX_DEPTH = 40

export async function readScript(text: string): Promise<Script> {
  if (text.length > MAX_COMMAND) return unread(`it is longer than ${MAX_COMMAND} characters`)
  if (hasHidden(text)) return unread('it holds characters that cannot be seen')
  return (
    (await withShellTree(text, (root) => collect(root, text))) ?? unread('it could not be parsed in time')
  )
}

const unread = (doubt: string): Script => ({ parts: [], writes: [], doubts: [doubt], isPartial: true })

type Walk = {
  readonly text: string
  readonly parts: Part[]
  readonly writes: string[]
  readonly doubts: Set<string>
  isPartial: boolean
}

function collect(root: Node, text: string): Script {
  const walk: Walk = { text, parts: [], writes: [], doubts: new Set(), isPartial: root.hasError }
  if (root.hasError) walk.doubts.add('it is no valid shell command')
  visit(root, walk, 0)
  if (walk.parts.length > MAX_PARTS) walk.doubts.add(`it has more than ${MAX_PARTS} parts`)
  const { parts, writes, doubts, isPartial } = walk
  return { parts, writes, doubts: [...doubts], isPartial }
}

function visit(node: Node, walk: Walk, depth: number): void {
  if (depth > MAX_DEPTH) {
    walk.doubts.add('it is nested too deep')
    walk.isPartial = true
    return
  }
  checkGaps(node, walk)
  if (node.type === 'command') takeCommand(node, walk)
  else if (node.type === 'file_redirect') takeRedirect(node, walk)
  else if (node.type === 'heredoc_redirect') takeHeredoc(node, walk)
  else if (node.type === 'test_command') takeTest(node, walk)
  else if (!KNOWN.has(node.type))
    walk.doubts.add(reasons[node.type] ?? `it uses ${node.type.replaceAll('_', ' ')}`)
  for (const child of node.children) if (child) visit(child, walk, depth + 1)
}

/** Nodes and tokens that add nothing of their own to the commands in them. */
const KNOWN = new Set(
  `program comment list pipeline redirected_statement subshell compound_statement negated_command if_statement elif_clause
  else_clause if then elif else fi && || | ; ( ) { } ! [ ] [[ ]] " ' $ command_name word number raw_string string
  string_content concatenation herestring_redirect <<< file_descriptor < > >> &> &>> <& >& >| <&- >&- << <<- heredoc_start
  heredoc_body heredoc_content heredoc_end unary_expression test_operator`
    .split(/\s+/)
    .concat('\n'),
)

const reasons: Readonly<Record<string, string>> = {
  ERROR: 'it is no valid shell command',
  command_substitution: 'it runs a command inside another one',
  process_substitution: 'it runs a command inside another one',
  simple_expansion: 'it uses a variable',
  expansion: 'it uses a variable',
  variable_assignment: 'it sets a variable',
  function_definition: 'it defines a function',
  declaration_command: 'it sets a variable',
  arithmetic_expansion: 'it calculates',
  ansi_c_string: 'it spells out characters by number',
  '|&': 'it joins two outputs',
  '&': 'it leaves something running in the background',
}

/** Between two tokens there may be blanks only; anything else was skipped by the grammar. */
function checkGaps(node: Node, { text, doubts }: Walk): void {
  const gap = node.type === 'command' ? BLANKS : BLANK_LINES
  let end = node.startIndex
  if (['string', 'heredoc_body', 'raw_string'].includes(node.type)) return
  for (const child of node.children) {
    if (!child) continue
    if (!gap.test(text.slice(end, child.startIndex))) doubts.add('it could not be read to its end')
    if (child.type === 'comment' && !isComment(child, text)) doubts.add('it has a doubtful comment')
    end = child.endIndex
  }
}

/** A line may be continued where a word has ended, not inside one. */
const BLANKS = /^(?:[ \t]|(?<=[ \t])\\\n)*$/
const BLANK_LINES = /^(?:[ \t\n]|(?<=[ \t])\\\n)*$/

const isComment = (node: Node, text: string): boolean =>
  /^#[^\n]*$/.test(node.text) && /^$|[\s;]/.test(text.slice(node.startIndex - 1, node.startIndex))

function takeCommand(node: Node, walk: Walk): void {
  const children = node.children.flatMap((child) => (child ? [child] : []))
  const name = children.find(({ type }) => type === 'command_name')?.children[0]
  const others = children.filter(
    ({ type }) => !/^(?:command_name|variable_assignment|.*_redirect)$/.test(type),
  )
  walk.parts.push({
    words: [...(name ? [readWord(name)] : []), ...others.map(readWord)],
    hasAssignment: children.some(({ type }) => type === 'variable_assignment'),
  })
}

function takeRedirect(node: Node, walk: Walk): void {
  const operator = node.children.find((child) => child && /^[<>&|]+-?$/.test(child.type))?.type ?? ''
  const destination = node.childForFieldName('destination')
  const target = destination ? readWord(destination) : literal('')
  const copies =
    /^[<>]&-$/.test(operator) || (operator.endsWith('&') && /^\d+$|^-$/.test(target.text) && !target.dynamic)
  const discards = !target.dynamic && /^\/dev\/(?:null|stdout|stderr)$/.test(target.text)
  if (copies || (discards && operator !== '<>')) return
  if (operator !== '<') walk.writes.push(target.text)
  else if (target.dynamic || /^\/dev\/(?:tcp|udp)\b/.test(target.text))
    walk.doubts.add('it reads from an unknown place')
}

/** Expanded unless its delimiter is quoted; a body that holds its own delimiter was cut somewhere else than bash would. */
function takeHeredoc(node: Node, walk: Walk): void {
  const child = (type: string): string => node.children.find((each) => each?.type === type)?.text ?? ''
  const start = child('heredoc_start')
  const body = child('heredoc_body')
  const delimiter = start.replaceAll(/['"\\]/g, '')
  const isQuoted = start !== delimiter
  const isCut = body.split('\n').some((line) => line.replace(/^\t*/, '') === delimiter)
  if (isCut || !/^['"]?\w+['"]?$/.test(start)) walk.doubts.add('its here-document is unclear')
  if (!isQuoted && /[$`\\]/.test(body)) walk.doubts.add('its here-document is expanded')
}

/** `[ -f path ]` and its like; any other test may calculate, and calculating may run what a subscript holds. */
function takeTest(node: Node, walk: Walk): void {
  const [expression, ...more] = node.namedChildren
  const [operator, operand, ...rest] = expression?.namedChildren ?? []
  const isSimple =
    more.length === 0 && rest.length === 0 && expression?.type === 'unary_expression' && operator && operand
  const word = isSimple ? readWord(operand) : undefined
  const isFileTest = word && /^-[fdesrwxLhnz]$/.test(operator?.text ?? '')
  if (!isFileTest || word.dynamic || word.text.includes('[')) walk.doubts.add('its test is not a plain one')
}
