/**
 * What a command line would run, as far as it can be known: the simple commands in it, wherever they stand, and every
 * reason why that may not be all. Nothing is ever left out in silence: what the walk does not know becomes a reason.
 */
import type { Node } from 'web-tree-sitter'
import { MAX_COMMAND, withShellTree } from './tree.ts'
import { hasHidden } from '../shown.ts'
import { literal, readWord, type Word } from './word.ts'

export type Part = {
  /** The program and its arguments. */
  readonly words: readonly Word[]
  /** Variables set in front of it. */
  readonly hasAssignment: boolean
  /** Those variables, as they are written: `LC_ALL=C`. */
  readonly assignments: readonly string[]
}

export type Script = {
  readonly text: string
  readonly parts: readonly Part[]
  /** Files that redirections write. */
  readonly writes: readonly Word[]
  /** Why this may run more than its parts say; empty = it is all understood. */
  readonly doubts: readonly string[]
  /** Those of the doubts that are still there when nothing it does can write or reach the network. */
  readonly obscurities: readonly string[]
  /** Words outside of its parts: targets of redirections, values of variables, lists of loops. */
  readonly mentions: readonly Word[]
  /** Texts that are handed to a program as its input. */
  readonly inputs: readonly string[]
  /** Functions it defines; what they do is among the parts. */
  readonly functions: readonly string[]
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

export const unread = (doubt: string): Script => ({
  ...emptyWalk(''),
  doubts: [doubt],
  obscurities: [doubt],
  isPartial: true,
})

type Walk = {
  readonly text: string
  readonly parts: Part[]
  readonly writes: Word[]
  readonly doubts: Set<string>
  readonly obscurities: Set<string>
  readonly mentions: Word[]
  readonly inputs: string[]
  readonly functions: string[]
  isPartial: boolean
}

const emptyWalk = (text: string) => ({ text, parts: [], writes: [], mentions: [], inputs: [], functions: [] })

function collect(root: Node, text: string): Script {
  const sets = { doubts: new Set<string>(), obscurities: new Set<string>() }
  const walk: Walk = { ...emptyWalk(text), ...sets, isPartial: root.hasError }
  if (root.hasError) obscure(walk, 'it is no valid shell command')
  visit(root, walk, 0)
  if (walk.parts.length > MAX_PARTS) obscure(walk, `it has more than ${MAX_PARTS} parts`)
  return { ...walk, doubts: [...walk.doubts], obscurities: [...walk.obscurities] }
}

function obscure({ doubts, obscurities }: Walk, why: string): void {
  doubts.add(why)
  obscurities.add(why)
}

function visit(node: Node, walk: Walk, depth: number): void {
  if (depth > MAX_DEPTH) {
    obscure(walk, 'it is nested too deep')
    walk.isPartial = true
    return
  }
  checkGaps(node, walk)
  if (node.type === 'command') takeCommand(node, walk)
  else if (node.type === 'file_redirect') takeRedirect(node, walk)
  else if (node.type === 'heredoc_redirect') takeHeredoc(node, walk)
  else if (node.type === 'herestring_redirect') takeHerestring(node, walk)
  else if (node.type === 'test_command') takeTest(node, walk)
  else if (!KNOWN.has(node.type)) takeOther(node, walk)
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

/** Only what the commands in it do counts, once nothing can be written: those are parts of their own. */
const STRUCTURE = new Set(
  `command_substitution process_substitution simple_expansion expansion arithmetic_expansion ansi_c_string
  for_statement c_style_for_statement while_statement do_group case_statement case_item declaration_command
  function_definition variable_assignment variable_assignments variable_name special_variable_name subscript array
  binary_expression parenthesized_expression postfix_expression ternary_expression regex extglob_pattern
  brace_expression translated_string`.split(/\s+/),
)

function takeOther(node: Node, walk: Walk): void {
  const why = reasons[node.type] ?? `it uses ${node.type.replaceAll('_', ' ')}`
  const isStructure = node.isNamed ? STRUCTURE.has(node.type) : node.type !== '&'
  if (isStructure) walk.doubts.add(why)
  else obscure(walk, why)
  if (node.type === 'variable_assignment') takeAssignment(node, walk)
  else if (node.type === 'function_definition')
    walk.functions.push(node.childForFieldName('name')?.text ?? '')
  else if (node.type === 'for_statement') walk.mentions.push(...wordsOf(node).map(readWord))
  else if (node.type === 'while_statement' && isEndless(node)) obscure(walk, 'it may never end')
  else if (node.type === 'c_style_for_statement' && !node.childForFieldName('condition'))
    obscure(walk, 'it may never end')
}

const wordsOf = (node: Node): readonly Node[] => node.namedChildren.filter((child) => child !== null)

/** A variable of the program that runs commands or finds programs; one of the script's own is only a value. */
function takeAssignment(node: Node, walk: Walk): void {
  const value = node.childForFieldName('value')
  const name = node.childForFieldName('name')?.text ?? ''
  if (value) walk.mentions.push(readWord(value))
  const isPrefix = node.parent?.type === 'command'
  if (!isPrefix && STEERING.test(name)) obscure(walk, `it sets ${name}`)
}

/** Decide what programs run or load. */
const STEERING =
  /^(?:PATH|HOME|SHELL|ENV|PS4|CDPATH|TMPDIR|(?:LD|DYLD|BASH|GIT|NODE|PYTHON|PERL|RUBY|XDG|GREP|RIPGREP|LESS|MAN|JAVA|GCONV)(?:_.*|OPT|OPEN|LIB|PATH|5.*)?|.*(?:PAGER|EDITOR|OPTIONS|OPTS|COMMAND|BROWSER|VISUAL))$/

function isEndless(node: Node): boolean {
  const [condition = ''] = node.text.replace(/^(?:while|until)\s+/, '').split(/[;\n]/)
  return /^(?:true|false|:|sleep\b.*|\[ 1 \]|\(\(\s*\d*\s*\)\))$/.test(condition.trim())
}

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
function checkGaps(node: Node, walk: Walk): void {
  const { text } = walk
  const gap = node.type === 'command' ? BLANKS : BLANK_LINES
  let end = node.startIndex
  if (['string', 'heredoc_body', 'raw_string'].includes(node.type)) return
  for (const child of node.children) {
    if (!child) continue
    if (!gap.test(text.slice(end, child.startIndex))) obscure(walk, 'it could not be read to its end')
    if (child.type === 'comment' && !isComment(child, text)) obscure(walk, 'it has a doubtful comment')
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
  const assigned = children.filter(({ type }) => type === 'variable_assignment')
  walk.parts.push({
    words: [...(name ? [readWord(name)] : []), ...others.map(readWord)],
    hasAssignment: assigned.length > 0,
    assignments: assigned.map(({ text }) => text),
  })
}

function takeRedirect(node: Node, walk: Walk): void {
  const operator = node.children.find((child) => child && /^[<>&|]+-?$/.test(child.type))?.type ?? ''
  const destination = node.childForFieldName('destination')
  const target = destination ? readWord(destination) : literal('')
  const copies =
    /^[<>]&-$/.test(operator) || (operator.endsWith('&') && /^\d+$|^-$/.test(target.text) && !target.dynamic)
  walk.mentions.push(target)
  const discards = !target.dynamic && /^\/dev\/(?:null|stdout|stderr)$/.test(target.text)
  if (copies || (discards && operator !== '<>')) return
  if (operator !== '<') walk.writes.push(target)
  else if (/\/(?:tcp|udp)\b/.test(target.filled)) obscure(walk, 'it reads from an unknown place')
  else if (target.dynamic) walk.doubts.add('it reads from an unknown place')
}

function takeHerestring(node: Node, walk: Walk): void {
  const text = node.namedChildren[0]
  if (text) walk.inputs.push(readWord(text).filled)
}

/** Expanded unless its delimiter is quoted; a body that holds its own delimiter was cut somewhere else than bash would. */
function takeHeredoc(node: Node, walk: Walk): void {
  const child = (type: string): string => node.children.find((each) => each?.type === type)?.text ?? ''
  const start = child('heredoc_start')
  const body = child('heredoc_body')
  const delimiter = start.replaceAll(/['"\\]/g, '')
  const isQuoted = start !== delimiter
  const isCut = body.split('\n').some((line) => line.replace(/^\t*/, '') === delimiter)
  walk.inputs.push(body)
  if (isCut || !/^['"]?\w+['"]?$/.test(start)) obscure(walk, 'its here-document is unclear')
  if (isQuoted || !/[$`\\]/.test(body)) return
  if (body.includes('`')) obscure(walk, 'its here-document is expanded')
  else walk.doubts.add('its here-document is expanded')
}

/** `[ -f path ]` and its like; any other test may calculate, and calculating may run what a subscript holds. */
function takeTest(node: Node, walk: Walk): void {
  const [expression, ...more] = node.namedChildren
  const [operator, operand, ...rest] = expression?.namedChildren ?? []
  const isSimple =
    more.length === 0 && rest.length === 0 && expression?.type === 'unary_expression' && operator && operand
  const word = isSimple ? readWord(operand) : undefined
  const isFileTest = word && /^-[fdesrwxLhnz]$/.test(operator?.text ?? '')
  if (!isFileTest || word.dynamic || word.glob || word.text.includes('['))
    walk.doubts.add('its test is not a plain one')
}
