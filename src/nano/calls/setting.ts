/**
 * A setting whose name was taken for the text to change: "change retry.max to 5" is about what stands behind the name. Reads the file.
 */
import type { ProjectFiles } from '../project/sources.ts'
import type { NanoCall } from '../steps/run.ts'

/** The edit of its value, where one line of the file has that name. */
export async function ofSetting(call: NanoCall, request: string, files: ProjectFiles): Promise<NanoCall> {
  const { path, old, new: value } = call.input
  if (call.name !== 'edit_file' || typeof path !== 'string' || typeof old !== 'string') return call
  if (typeof value !== 'string' || value === '' || !isGiven(value, request) || /[:=]/.test(value)) return call
  const lines = (await files.read(path).catch(() => '')).split('\n')
  const [line, ...others] = lines.filter((one) => valueOf(one, old) !== undefined)
  const known = line === undefined ? undefined : valueOf(line, old)
  if (line === undefined || known === undefined || others.length > 0) return call
  const at = line.length - known.behind.length - known.value.length
  const text = line.slice(0, at) + value + known.behind
  return { ...call, input: { ...call.input, old: line.trim(), new: text.trim() } }
}

/** "To 5", "= 5": the request gives the value, it does not rename anything. */
const isGiven = (value: string, request: string): boolean => {
  const at = request.lastIndexOf(value)
  return (
    at > 0 &&
    /(?:\b(?:to|be|is|at|becomes?)|[:=])\s*["'`“]?$/i.test(request.slice(0, at)) &&
    !/\brename\b/i.test(request)
  )
}

/** What stands behind the name in its line, without the quotes and signs around it. */
function valueOf(line: string, name: string): { value: string; behind: string } | undefined {
  const at = line.toLowerCase().indexOf(name.toLowerCase())
  if (at < 0 || /\w/.test(line[at - 1] ?? '')) return undefined
  const found = /^["']?\s*[:=]\s*["']?(?<value>[^"'\n]*?)(?<behind>["']?[,;]?)$/.exec(
    line.slice(at + name.length).trimEnd(),
  )
  const { value = '', behind = '' } = found?.groups ?? {}
  return value === '' ? undefined : { value, behind }
}
