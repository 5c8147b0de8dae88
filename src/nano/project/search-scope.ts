/** A search in a file or folder that does not have the text, where others do, is a search everywhere. Reads the project. */
import { stands } from '../request/naming.ts'
import { type ProjectFiles, textsFor } from './sources.ts'
import type { NanoCall } from '../steps/run.ts'

export async function scopeThatHasIt(call: NanoCall, clause: string, files: ProjectFiles): Promise<NanoCall> {
  const { path, pattern, ...rest } = call.input
  if (call.name !== 'search_text' || typeof path !== 'string' || typeof pattern !== 'string') return call
  const scope = path.replace(/\/+$/, '')
  if (scope === '.' || scope === '' || stands(clause, scope)) return call
  const { texts } = await textsFor(clause, files)
  const having = [...texts].flatMap(([one, text]) =>
    text.toLowerCase().includes(pattern.toLowerCase()) ? [one] : [],
  )
  const isIn = (one: string): boolean => one === scope || one.startsWith(`${scope}/`)
  return having.length === 0 || having.some(isIn) ? call : { ...call, input: { pattern, ...rest } }
}
