import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageFile } from '../lib/package-files.ts'
import { AppError, errorMessage } from '../protocol/error.ts'

/** A text the model is given, by its file name: the person's own where there is one, else ours. */
export async function loadPrompt(name: string, userFolder?: string): Promise<string> {
  const own = userFolder === undefined ? undefined : await readIfThere(join(userFolder, name))
  return (own ?? (await readFile(packageFile(`prompts/${name}`), 'utf8'))).trim()
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new AppError('config-invalid', `${path} cannot be read: ${errorMessage(error)}. Fix or remove it.`)
  }
}
