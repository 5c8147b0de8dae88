/** Prompts that were typed in this project, newest last, on disk: one JSON string per line, so that any text is one line. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

const MOST = 500
/** A pasted file is no prompt anybody searches for. */
const LONGEST = 20_000

export type PromptHistory = {
  readonly prompts: readonly string[]
  add(prompt: string): Promise<void>
}

export async function openHistory(file: string | undefined): Promise<PromptHistory> {
  const prompts = file === undefined ? [] : await load(file)
  return {
    prompts,
    async add(prompt) {
      if (prompt.trim() === '' || prompt === prompts.at(-1) || prompt.length > LONGEST) return
      prompts.push(prompt)
      if (prompts.length > MOST) prompts.shift()
      // What cannot be remembered must not keep anybody from asking.
      if (file !== undefined)
        await appendFile(file, `${JSON.stringify(prompt)}\n`, { mode: 0o600 }).catch(() => undefined)
    },
  }
}

async function load(file: string): Promise<string[]> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch(() => undefined)
  const text = await readFile(file, 'utf8').catch(() => '')
  const prompts = text.split('\n').flatMap(read)
  const kept = prompts.slice(-MOST)
  if (prompts.length > 2 * MOST)
    await writeFile(file, kept.map((prompt) => `${JSON.stringify(prompt)}\n`).join(''), {
      mode: 0o600,
    }).catch(() => undefined)
  return kept
}

function read(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'string' ? [value] : []
  } catch {
    return []
  }
}
