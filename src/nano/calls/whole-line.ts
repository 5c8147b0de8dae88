/**
 * "Take the line that mentions it out": where a text of a line is removed and the line is spoken of, all of the line goes; what is indented
 * under an entry of a YAML list goes with it. Reads the file.
 */
import type { ProjectFiles } from '../project/sources.ts'
import type { NanoCall } from '../steps/run.ts'

const LINE = /\b(?:lines?|rows?|entry|bullets?)\b/i
/** "From the first line" says where it stands, not what goes. */
const WITHIN = /\b(?:from|in|on|of|at) (?:the |its |that )?(?:\w+ )?(?:line|row|entry)\b/i

export async function wholeLine(call: NanoCall, clause: string, files: ProjectFiles): Promise<NanoCall> {
  const { path, old, new: written } = call.input
  if (call.name !== 'edit_file' || written !== '' || typeof path !== 'string' || typeof old !== 'string')
    return call
  const text = await files.read(path).catch(() => '')
  const entry = /\.ya?ml$/.test(path) ? entryIn(text, old) : undefined
  if (entry !== undefined) return { ...call, input: { ...call.input, old: entry } }
  if (old.trim() === '' || old.includes('\n') || !LINE.test(clause) || WITHIN.test(clause)) return call
  const lines = text.split('\n').filter((line) => line.includes(old))
  const whole = `${lines[0] ?? ''}\n`
  return lines.length === 1 && text.split(whole).length === 2
    ? { ...call, input: { ...call.input, old: whole } }
    : call
}

/** The removal of the first line of an entry, with what is indented under it. */
export async function wholeEntry(call: NanoCall, files: ProjectFiles): Promise<NanoCall> {
  const { path, old, new: written } = call.input
  if (written !== '' || typeof path !== 'string' || typeof old !== 'string' || !/\.ya?ml$/.test(path))
    return call
  const entry = entryIn(await files.read(path).catch(() => ''), old)
  return entry === undefined ? call : { ...call, input: { ...call.input, old: entry } }
}

/** The whole entry whose first line is removed. */
function entryIn(text: string, old: string): string | undefined {
  const first = old.replace(/\n$/, '')
  const [, indent] = /^(\s*)- \S/.exec(first) ?? []
  const lines = text.split('\n')
  const at = lines.findIndex((line) => line === first)
  if (indent === undefined || first.includes('\n') || at < 0 || lines.lastIndexOf(first) !== at)
    return undefined
  const isUnder = (line: string): boolean => line.startsWith(`${indent}  `) && line.trim() !== ''
  const rest = lines.slice(at + 1)
  // A blank line belongs to it where more of it follows.
  const end = rest.findIndex((line) => line.trim() !== '' && !isUnder(line))
  const count = (end < 0 ? rest : rest.slice(0, end)).findLastIndex(isUnder) + 1
  if (count === 0) return undefined
  const entry = lines.slice(at, at + 1 + count).join('\n')
  return text.includes(`${entry}\n`) ? `${entry}\n` : entry
}
