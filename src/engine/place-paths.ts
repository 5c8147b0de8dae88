/**
 * Every path a call names, as it is really written on disk; a call that names one which cannot be meant gets no further.
 * The last look at a call before it is judged.
 */
import type { ToolCall } from '../protocol/message.ts'
import type { Files } from '../protocol/tool.ts'
import { isObject, readJson } from '../lib/json.ts'
import { callKey, type Hopeless, type Prepared, type Ready } from './prepare.ts'
import { preflightPath } from './preflight.ts'

/**
 * The calls of a reply as they will run, paths included, before the conversation keeps them. Those behind one that may
 * change files wait for it: the path they name may not be there yet. `named`: paths as the person wrote them.
 */
export async function placeEarly(
  prepared: readonly Prepared[],
  files: Files,
  named: readonly string[],
): Promise<readonly Prepared[]> {
  const changes = prepared.findIndex((call) => call.kind === 'ready' && !call.readOnly)
  const last = changes < 0 ? prepared.length : changes
  return Promise.all(
    prepared.map(async (call, index) => {
      if (call.kind === 'hopeless' || index > last) return call
      const placed = await placePaths(await asNamed(call, files, named), files)
      return placed.kind === 'ready' ? { ...placed, call: asPlaced(placed) } : call
    }),
  )
}

/** A new file in the letters the person used for it. */
async function asNamed(ready: Ready, files: Files, named: readonly string[]): Promise<Ready> {
  const path = isObject(ready.input) ? ready.input['path'] : undefined
  if (!ready.tool.creates || typeof path !== 'string' || named.includes(path)) return ready
  const same = named.filter((candidate) => candidate.toLowerCase() === path.toLowerCase())
  const [meant] = same
  if (meant === undefined || same.length > 1 || (await files.info(path).catch(() => true))) return ready
  const remark = [ready.remark, `[path corrected: ${path} -> ${meant}]`].filter(Boolean).join('\n')
  return { ...ready, input: { ...(ready.input as object), path: meant }, remark }
}

/** What the conversation keeps names the paths that are used. */
function asPlaced({ call, tool, input }: Ready): ToolCall {
  const reading = readJson(call.input)
  if (!reading.ok || !isObject(reading.value) || !isObject(input)) return call
  const written = reading.value
  const moved = (tool.paths ?? []).filter(
    (parameter) => typeof written[parameter] === 'string' && written[parameter] !== input[parameter],
  )
  if (moved.length === 0) return call
  const paths = Object.fromEntries(moved.map((parameter) => [parameter, input[parameter]]))
  return { ...call, input: JSON.stringify({ ...written, ...paths }) }
}

export async function placePaths(prepared: Prepared, files: Files): Promise<Prepared> {
  if (prepared.kind === 'hopeless') return prepared
  const { tool } = prepared
  let { input } = prepared
  const remarks = prepared.remark ? [prepared.remark] : []
  for (const parameter of tool.paths ?? []) {
    const path = isObject(input) ? input[parameter] : undefined
    if (typeof path !== 'string') continue
    const placed = await preflightPath(path, files, { creates: tool.creates ?? false })
    if ('missing' in placed) return toHopeless({ ...prepared, input }, 'missing-path', placed.missing, path)
    if (prepared.onlyNew && (await hasContent(placed.path, files)))
      return toHopeless({ ...prepared, input }, 'cut', cutText(placed.path), path)
    if (placed.repaired) remarks.push(placed.repaired)
    input = { ...(input as object), [parameter]: placed.path }
  }
  const remark = remarks.length > 0 ? { remark: remarks.join('\n') } : {}
  const repaired = prepared.repaired || remarks.length > 0
  return { ...prepared, input, key: callKey(tool.name, input), repaired, ...remark }
}

const toHopeless = (
  { call, tool, input }: Ready,
  code: Hopeless['code'],
  text: string,
  path: string,
): Hopeless => ({ kind: 'hopeless', call, key: callKey(tool.name, input), code, text, tool: tool.name, path })

/** What cannot be looked at may hold something. */
async function hasContent(path: string, files: Files): Promise<boolean> {
  try {
    return ((await files.info(path))?.bytes ?? 0) > 0
  } catch {
    return true
  }
}

const cutText = (path: string): string =>
  `The call was cut off by the output limit and nothing was written: ${path} exists, and whether to replace it or to ` +
  'add to it was cut off too. Send fewer lines at once, with append: true before the content to add to the file.'
