/** The bash grammar: text in, tree out, in bounded time. A parser that crashes is thrown away and made anew. */
import type { Node, Parser } from 'web-tree-sitter'
import { loadParser } from '../../lib/grammars.ts'
import { AppError, errorMessage } from '../../protocol/error.ts'

/** A user would not read a longer command before approving it, and no honest one needs it. */
export const MAX_COMMAND = 8_000

const LIMIT_MS = 100

/** `undefined` when it took too long or the parser broke; errors in the text are marked in the tree. */
export async function withShellTree<T>(text: string, use: (root: Node) => T): Promise<T | undefined> {
  const shell = await loaded()
  try {
    return parse(shell, text, use)
  } catch {
    parser = undefined
    return undefined
  }
}

let parser: Promise<Parser> | undefined

const loaded = (): Promise<Parser> =>
  (parser ??= loadParser('bash').catch((error: unknown) => {
    const reason = `The grammar of bash could not be loaded (${errorMessage(error)}), so no command can be judged.`
    throw new AppError('tool-failed', `${reason} Run \`npm install\` again.`)
  }))

function parse<T>(shell: Parser, text: string, use: (root: Node) => T): T | undefined {
  const deadline = performance.now() + LIMIT_MS
  const tree = shell.parse(text, null, { progressCallback: () => performance.now() > deadline })
  if (!tree) {
    shell.reset()
    return undefined
  }
  try {
    return use(tree.rootNode)
  } finally {
    tree.delete()
  }
}
