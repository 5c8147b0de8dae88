/**
 * A set of texts as rules of a grammar: one rule for each fork, so that a sampler has few ways to follow at any place
 * however many texts there are.
 */
import type { ValueSet } from '../../protocol/known-values.ts'

/** How what is free is written: a name without a slash, and anything. */
export type FreeText = { readonly name: string; readonly rest: string }

type Ending = 'exact' | 'folder' | 'open'
type Node = { readonly next: Map<string, Node>; readonly ends: Set<Ending> }

export type TrieParts = {
  readonly free: FreeText
  /** The text as written in the reply. */
  write(text: string): string
  literal(text: string): string
  /** Adds a rule and gives its name. */
  define(body: string): string
}

/** The expression that allows the set; undefined where it is empty. */
export function trieRule({ exact, folders = [], open = [] }: ValueSet, parts: TrieParts): string | undefined {
  const root = createNode()
  for (const text of exact) if (text !== '') insert(root, parts.write(text), 'exact')
  for (const text of folders) insert(root, parts.write(text), 'folder')
  for (const text of open) insert(root, parts.write(text), 'open')
  return root.next.size === 0 && root.ends.size === 0 ? undefined : toRule(root, parts)
}

const createNode = (): Node => ({ next: new Map(), ends: new Set() })

function insert(root: Node, text: string, ending: Ending): void {
  let node = root
  for (const character of text) {
    const next = node.next.get(character) ?? createNode()
    node.next.set(character, next)
    node = next
  }
  node.ends.add(ending)
}

function toRule(node: Node, parts: TrieParts): string {
  const { free, literal, define } = parts
  const ways = [...node.next].map(([first, child]) => {
    let text = first
    let end = child
    for (let only = onlyChild(end); only; only = onlyChild(end)) {
      text += only[0]
      end = only[1]
    }
    const isLeaf = end.next.size === 0 && end.ends.size === 1 && end.ends.has('exact')
    return isLeaf ? literal(text) : `${literal(text)} ${toRule(end, parts)}`
  })
  if (node.ends.has('folder')) ways.push(free.name)
  if (node.ends.has('open')) ways.push(free.rest)
  return define(node.ends.has('exact') ? `(${ways.join(' | ')})?` : ways.join(' | '))
}

/** What follows where nothing ends and nothing forks. */
function onlyChild({ next, ends }: Node): readonly [string, Node] | undefined {
  const [first] = next
  return next.size === 1 && ends.size === 0 ? first : undefined
}
