/** Where the grammars lie. The build packs them: they are a tenth of the size then. */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { Parser } from 'web-tree-sitter'
import { dependencyFile, isSource, packageFile } from './package-files.ts'

const unpack = promisify(brotliDecompress)
let runtime: Promise<void> | undefined

/** A new parser; the caller keeps it. `name` as in the file names of the grammars: `bash`, `typescript`. */
export async function loadParser(name: string): Promise<Parser> {
  const { Language, Parser } = await import('web-tree-sitter')
  await (runtime ??= Parser.init({ locateFile: runtimeFile }))
  return new Parser().setLanguage(await Language.load(await readGrammar(`tree-sitter-${name}.wasm`)))
}

const runtimeFile = (name: string): string =>
  isSource ? join(dirname(dependencyFile('web-tree-sitter')), name) : packageFile(`dist/grammars/${name}`)

const readGrammar = async (name: string): Promise<Uint8Array> =>
  isSource
    ? readFile(join(dirname(dependencyFile('@vscode/tree-sitter-wasm')), name))
    : unpack(await readFile(packageFile(`dist/grammars/${name}.br`)))
