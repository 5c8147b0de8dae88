/** A command line cut where one program ends and the next begins, so that each piece can be run by itself. */
import type { Node } from 'web-tree-sitter'
import { withShellTree } from './tree.ts'

/** The pieces between `&&`, `;` and line ends at the top, as written; none for what has another shape. */
export async function splitCommand(text: string): Promise<readonly string[]> {
  return (await withShellTree(text, (root) => (root.hasError ? [] : piecesOf(root)))) ?? []
}

function piecesOf(node: Node): readonly string[] {
  const children = node.children.flatMap((child) => (child ? [child] : []))
  if (node.type === 'program') {
    const statements = children.filter(({ type }) => type !== ';' && type !== '\n')
    return statements.some(({ type }) => type === '&') ? [] : statements.flatMap(piecesOf)
  }
  const isJoined = node.type === 'list' && children.every(({ isNamed, type }) => isNamed || type === '&&')
  return isJoined ? children.filter(({ isNamed }) => isNamed).flatMap(piecesOf) : [node.text]
}

/** The first program of a pipe and the rest of it, as written; undefined for anything else. */
export const splitPipe = (text: string): Promise<readonly [string, string] | undefined> =>
  withShellTree(text, (root) => {
    const [pipeline, ...more] = root.namedChildren
    const [first, second] = pipeline?.namedChildren ?? []
    if (root.hasError || more.length > 0 || pipeline?.type !== 'pipeline' || !first || !second)
      return undefined
    return [first.text, text.slice(second.startIndex, pipeline.endIndex)] as const
  })
