/** "Take the line that mentions it out": where a text of a line is removed and the line is spoken of, all of the line goes. Reads the file. */
import type { ProjectFiles } from './project.ts'
import type { NanoCall } from './run.ts'

const LINE = /\b(?:lines?|rows?|entry|bullets?)\b/i
/** "From the first line" says where it stands, not what goes. */
const WITHIN = /\b(?:from|in|on|of|at) (?:the |its |that )?(?:\w+ )?(?:line|row|entry)\b/i

export async function wholeLine(call: NanoCall, clause: string, files: ProjectFiles): Promise<NanoCall> {
  const { path, old, new: written } = call.input
  if (call.name !== 'edit_file' || written !== '' || typeof path !== 'string' || typeof old !== 'string')
    return call
  if (old.trim() === '' || old.includes('\n') || !LINE.test(clause) || WITHIN.test(clause)) return call
  const text = await files.read(path).catch(() => '')
  const lines = text.split('\n').filter((line) => line.includes(old))
  const whole = `${lines[0] ?? ''}\n`
  return lines.length === 1 && text.split(whole).length === 2
    ? { ...call, input: { ...call.input, old: whole } }
    : call
}
