/** Where the grammars lie. The published package carries them packed: they are a tenth of the size then. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { Language, Parser } from 'web-tree-sitter'

const require = createRequire(import.meta.url)
const folder = dirname(require.resolve('@vscode/tree-sitter-wasm'))
const unpack = promisify(brotliDecompress)
let runtime: Promise<void> | undefined

/** A new parser; the caller keeps it. `name` as in the file names of the grammars: `bash`, `typescript`. */
export async function loadParser(name: string): Promise<Parser> {
  await (runtime ??= Parser.init())
  const path = join(folder, `tree-sitter-${name}.wasm`)
  const grammar = await readFile(path).catch(async () => unpack(await readFile(`${path}.br`)))
  return new Parser().setLanguage(await Language.load(grammar))
}
