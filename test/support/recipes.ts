/** The recipes of CONTRIBUTING.md as changes to files: a line of a diff is kept, removed or added. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export type FileChange = {
  readonly file: string
  readonly isNew: boolean
  /** Each begins with a blank, `-` or `+`. */
  readonly lines: string[]
}

export type Recipe = { readonly title: string; readonly changes: readonly FileChange[] }

export const readRecipes = (page: string): readonly Recipe[] =>
  page
    .split(/^### /m)
    .slice(1)
    .map((text) => ({ title: text.split('\n', 1)[0] ?? '', changes: changesOf(text) }))

function changesOf(text: string): readonly FileChange[] {
  const [, diff = ''] = /```diff\n(.*?)```/s.exec(text) ?? []
  const changes: FileChange[] = []
  for (const line of diff.split('\n')) {
    const [, sign, file = ''] = /^(---|\+\+\+) (src\/\S+)$/.exec(line) ?? []
    if (sign) changes.push({ file, isNew: sign === '+++', lines: [] })
    else if (/^[ +-]/.test(line) && line !== '--- /dev/null') changes.at(-1)?.lines.push(line)
  }
  return changes
}

/** Makes the change in a checkout. Throws where a line that should be there is not, in its order. */
export async function applyChange(root: string, { file, isNew, lines }: FileChange): Promise<void> {
  const path = join(root, file)
  const text = isNew ? '' : await readFile(path, 'utf8')
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, changed(text.split('\n'), lines, file).join('\n'))
}

export function changed(
  before: readonly string[],
  lines: readonly string[],
  file: string,
): readonly string[] {
  const after = [...before]
  let at = 0
  for (const line of lines) {
    const [sign, content] = [line[0], line.slice(1)]
    if (sign === '+') {
      after.splice(at++, 0, content)
      continue
    }
    const found = after.indexOf(content, at)
    if (found === -1) throw new Error(`${file} has no line "${content}"`)
    if (sign === '-') after.splice(found, 1)
    at = sign === '-' ? found : found + 1
  }
  return after
}
