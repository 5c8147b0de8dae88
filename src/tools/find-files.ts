/** Files by name. A glob that finds nothing is tried once more as a part of a name, because that is how people ask. */
import { z } from 'zod'
import { defineTool, type ToolContext } from '../protocol/tool.ts'
import { toListText } from './page.ts'
import { ripgrep, toProjectPath } from './ripgrep.ts'

export const findFilesTool = defineTool({
  name: 'find_files',
  description: 'Find files by glob, such as **/*.ts',
  category: 'search',
  input: z.object({ pattern: z.string() }),
  paged: true,
  access: () => [{ kind: 'read', target: '.' }],

  async run({ pattern }, context) {
    const glob = toGlob(pattern, context.files.root)
    // Without a capital letter the case does not matter.
    const exact = await find(`--${/\p{Lu}/u.test(glob) ? 'glob' : 'iglob'}=${glob}`, context)
    if (exact.length > 0) return show(exact, context)
    const base = baseOf(glob)
    const loose = base === '' ? [] : await find(`--iglob=*${base}*`, context)
    if (loose.length === 0) return `No files match ${pattern}. Try a part of the name, or list_files.`
    return `No files match ${pattern}; nearest names:\n${show(loose, context)}`
  },
})

/** Globs are matched from the root and name what is wanted; a leading `!` would turn that round. */
function toGlob(pattern: string, root: string): string {
  const plain = pattern.trim().replaceAll('\\', '/').replace(/^!+/, '')
  const inside = plain.startsWith(`${root}/`) ? plain.slice(root.length + 1) : plain
  return toProjectPath(inside) || '*'
}

/** The longest plain piece of the last name in the glob. */
function baseOf(glob: string): string {
  const name = glob.replace(/\/+$/, '').split('/').at(-1) ?? glob
  const pieces = name.split(/[^\p{L}\p{N}_.-]+/u)
  return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '')
}

/** Shallow paths first: what is asked for is rarely buried. */
async function find(option: string, context: ToolContext): Promise<readonly string[]> {
  const { lines } = await ripgrep(['--files', option], [], context)
  return lines.map(toProjectPath).toSorted((a, b) => depth(a) - depth(b))
}

const depth = (path: string): number => path.split('/').length

const show = (files: readonly string[], context: ToolContext): string =>
  toListText(files, 'use a narrower pattern', context)
