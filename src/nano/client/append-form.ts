/** Text at the end of a file, for clients that can write a file whole or change a part of it, but not append. Reads the file. */
import type { Bindings } from './bindings.ts'
import type { Decision } from '../decide.ts'
import type { NanoCall } from '../steps/run.ts'
import type { ProjectFiles } from '../project/sources.ts'

/** The end of the file, replaced by itself and the new text. The same decision where the client appends, or the file cannot be read. */
export async function appendByEdit(
  decision: Decision,
  bindings: Bindings,
  files: ProjectFiles,
): Promise<Decision> {
  if (!('call' in decision) || decision.call.name !== 'write_file') return decision
  const { path, content, append } = decision.call.input
  const isNeeded = append === true && bindings.get('write_file')?.has('append') !== true
  if (!isNeeded || typeof path !== 'string' || typeof content !== 'string') return decision
  const text = await files.read(path).catch(() => '')
  if (!bindings.has('edit_file')) return onNewLine(decision, text)
  const old = endOf(text)
  if (old === undefined) return decision
  return { ...decision, call: { name: 'edit_file', input: { path, old, new: `${old}\n${content}` } } }
}

type Called = Extract<Decision, { readonly call: NanoCall }>

/** A shell puts it right behind what is there, also behind a last line without an end. */
function onNewLine(decision: Called, text: string): Decision {
  const { call } = decision
  const content = `\n${String(call.input['content'])}`
  return text === '' || text.endsWith('\n')
    ? decision
    : { ...decision, call: { ...call, input: { ...call.input, content } } }
}

/** Such an edit as the call that it stands for: what is asked for next is compared with that. */
export function asAppend(call: NanoCall): NanoCall {
  const { path, old, new: replacement } = call.input
  const isAppended =
    call.name === 'edit_file' &&
    typeof old === 'string' &&
    typeof replacement === 'string' &&
    old !== '' &&
    replacement.startsWith(`${old}\n`)
  if (!isAppended) return call
  return { name: 'write_file', input: { path, content: replacement.slice(old.length + 1), append: true } }
}

const MOST_LINES = 6

/** As many of the last lines as occur once. */
function endOf(text: string): string | undefined {
  const lines = text.trimEnd().split('\n')
  for (let count = 1; count <= Math.min(MOST_LINES, lines.length); count++) {
    const end = lines.slice(-count).join('\n')
    if (end.trim() !== '' && text.indexOf(end) === text.lastIndexOf(end)) return end
  }
  return undefined
}
