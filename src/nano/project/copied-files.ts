/** What a copy contains that cannot be read, such as a `.env`: what was copied. */
import type { ProjectFiles } from './sources.ts'
import type { NanoStep } from '../steps/run.ts'

export function withCopies(files: ProjectFiles, steps: readonly NanoStep[]): ProjectFiles {
  const originals = new Map(
    steps.flatMap(({ call: { name, input }, ok }) =>
      ok && name === 'copy_file' && typeof input['to'] === 'string'
        ? [[input['to'], String(input['from'])] as const]
        : [],
    ),
  )
  if (originals.size === 0) return files
  const read = async (path: string, signal?: AbortSignal): Promise<string> => {
    try {
      return await files.read(path, signal)
    } catch (error) {
      const original = originals.get(path)
      if (original === undefined) throw error
      return files.read(original, signal)
    }
  }
  return { ...files, read }
}
