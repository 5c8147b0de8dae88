/**
 * What a parser says about source code: where it is broken, and what it defines. Grammars are loaded on first use and
 * kept. A language without a grammar, or a file too large to parse in passing, is silently fine.
 */
import { extname } from 'node:path'
import type { Node, Parser } from 'web-tree-sitter'
import { errorMessage } from '../protocol/error.ts'
import { loadParser } from './grammars.ts'
import { shortHash } from './hash.ts'
import { clip, lineAt } from './text.ts'

export type SyntaxProblem = { readonly line: number; readonly message: string }

/** One thing a file defines: the line it starts on and that line's text. */
export type Definition = { readonly line: number; readonly text: string }

/** A definition with everything in it. Lines are counted from 1, `to` included. */
export type DefinitionSpan = {
  readonly kind: 'function' | 'method' | 'class' | 'type' | 'module'
  readonly name: string
  readonly from: number
  readonly to: number
}

const MAX_LENGTH = 256 * 1024

export async function findSyntaxProblem(path: string, text: string): Promise<SyntaxProblem | undefined> {
  if (text.length > MAX_LENGTH) return undefined
  if (isStrictJson(path)) return jsonProblem(text)
  return withTree(path, text, (root) => {
    const broken = root.hasError ? firstBroken(root) : undefined
    return broken && { line: broken.startPosition.row + 1, message: describe(broken) }
  })
}

/**
 * The same for two texts that differ in their layout only: blanks, line ends, indentation where it means nothing.
 * Undefined where no parser understands the text.
 */
export async function shapeOf(path: string, text: string): Promise<string | undefined> {
  if (text.length > MAX_LENGTH) return undefined
  return withTree(path, text, (root) => (root.hasError ? undefined : shortHash(shapeIn(root))))
}

/** Functions, classes and the like, outermost two levels, in order. */
export async function outlineOf(path: string, text: string): Promise<readonly Definition[]> {
  if (text.length > MAX_LENGTH) return []
  const lines = text.split('\n')
  const found = await withTree(path, text, (root) => definitionsIn(root, 2))
  return [...new Set(found)].map((row) => ({ line: row + 1, text: clip((lines[row] ?? '').trim(), 80) }))
}

/** The same definitions with their names and ends, inner ones after the enclosing one; nothing without a grammar. */
export async function definitionSpans(
  path: string,
  text: string,
): Promise<readonly DefinitionSpan[] | undefined> {
  if (text.length > MAX_LENGTH) return undefined
  return withTree(path, text, (root) =>
    definitionNodes(root, 2)
      .map(({ node, isInner }) => ({
        kind: kindOf(node, isInner),
        name: nameOf(node),
        from: node.startPosition.row + 1,
        to: node.endPosition.row + 1,
      }))
      .filter(({ name }) => name !== ''),
  )
}

const GRAMMARS: Readonly<Record<string, string>> = {
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.jsx': 'javascript',
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.tsx': 'tsx',
  '.py': 'python',
  '.css': 'css',
  '.go': 'go',
  '.rs': 'rust',
  '.java': 'java',
  '.c': 'cpp',
  '.h': 'cpp',
  '.cc': 'cpp',
  '.cpp': 'cpp',
  '.hpp': 'cpp',
  '.rb': 'ruby',
  '.php': 'php',
  '.sh': 'bash',
  '.bash': 'bash',
}

export type SyntaxNode = Node

/** The tree lives only as long as `use` looks at it; `undefined` for a language without a grammar. */
export async function withTree<T>(
  path: string,
  text: string,
  use: (root: SyntaxNode) => T,
): Promise<T | undefined> {
  const grammar = GRAMMARS[extname(path).toLowerCase()]
  if (grammar === undefined) return undefined
  const tree = (await parserFor(grammar)).parse(text)
  try {
    return tree ? use(tree.rootNode) : undefined
  } finally {
    tree?.delete()
  }
}

const parsers = new Map<string, Promise<Parser>>()

function parserFor(grammar: string): Promise<Parser> {
  const known = parsers.get(grammar) ?? loadParser(grammar)
  parsers.set(grammar, known)
  return known
}

/** Within these every blank counts. */
const VERBATIM = /string|template|text|regex|heredoc|comment|literal|preproc/

function shapeIn(root: Node): string {
  const parts: string[] = []
  const cursor = root.walk()
  const enter = (): void => {
    parts.push(cursor.nodeType)
    const isWhole = cursor.nodeIsNamed && VERBATIM.test(cursor.nodeType)
    if (!isWhole && cursor.gotoFirstChild()) {
      parts.push('(')
      do enter()
      while (cursor.gotoNextSibling())
      cursor.gotoParent()
      parts.push(')')
    } else if (cursor.nodeIsNamed) parts.push(JSON.stringify(cursor.nodeText))
  }
  enter()
  cursor.delete()
  return parts.join(' ')
}

/** The innermost broken place that comes first. */
function firstBroken(root: Node): Node {
  let node = root
  for (;;) {
    const inner = node.children.find((child) => child?.hasError || child?.isError || child?.isMissing)
    if (!inner || node.isError) return node
    node = inner
  }
}

function describe(node: Node): string {
  if (node.isMissing) return `missing \`${node.type}\``
  const [line = ''] = node.text.trim().split('\n', 1)
  return `near \`${clip(line, 60)}\``
}

const DEFINES =
  /^(?:.*function.*|class|.*class_.*|method.*|.*interface.*|enum.*|struct.*|trait_item|impl_item|mod_item|module|namespace.*|type_alias.*|type_spec|singleton_method)$/
const WRAPS =
  /^(?:export_statement|decorated_definition|type_declaration|.*body|body_statement|.*block|declaration_list|program)$/

const definitionsIn = (root: Node, depth: number): readonly number[] =>
  definitionNodes(root, depth).map(({ node }) => node.startPosition.row)

type DefinitionNode = { readonly node: Node; readonly isInner: boolean }

function definitionNodes(node: Node, depth: number, isInner = false): readonly DefinitionNode[] {
  return node.namedChildren.flatMap((child) => {
    if (!child) return []
    if (WRAPS.test(child.type)) return definitionNodes(child, depth, isInner)
    if (!isDefinition(child)) return []
    const isOpen = depth > 1 && !/function/.test(child.type)
    return [{ node: child, isInner }, ...(isOpen ? definitionNodes(child, depth - 1, true) : [])]
  })
}

function kindOf({ type }: Node, isInner: boolean): DefinitionSpan['kind'] {
  if (/method|function|lexical/.test(type)) return isInner || /method/.test(type) ? 'method' : 'function'
  if (/interface|enum|type/.test(type)) return 'type'
  return /mod|namespace/.test(type) ? 'module' : 'class'
}

/** Where the grammar has no name field, the name is in a declarator, or the type is the name. */
function nameOf(node: Node): string {
  for (const field of ['name', 'declarator', 'type']) {
    const found = node.childForFieldName(field)
    if (found) return field === 'declarator' ? nameOf(found) : found.text
  }
  const [first] = node.namedChildren
  if (node.type === 'lexical_declaration' && first) return nameOf(first)
  return node.namedChildCount === 0 ? clip(node.text, 80) : ''
}

/** `const name = (…) => …` defines a function as well. */
function isDefinition(node: Node): boolean {
  if (node.type === 'lexical_declaration') {
    const value = node.namedChildren[0]?.childForFieldName('value')?.type ?? ''
    return /function|class/.test(value)
  }
  return DEFINES.test(node.type)
}

/** Compiler and editor settings are JSON with comments. */
const isStrictJson = (path: string): boolean =>
  /\.json$/i.test(path) && !/(?:^|\/)(?:[tj]sconfig[^/]*|\.[^/]*|settings|launch|tasks)\.json$/i.test(path)

function jsonProblem(text: string): SyntaxProblem | undefined {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''))
    return undefined
  } catch (error) {
    const message = errorMessage(error)
    const offset = Number(/position (\d+)/.exec(message)?.[1] ?? text.trimEnd().length)
    return { line: lineAt(text, offset), message: message.replace(/ in JSON.*$/s, '') }
  }
}
