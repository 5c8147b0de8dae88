/**
 * Every path a call names, as it is really written on disk; a call that names one which cannot be meant gets no further.
 * The last look at a call before it is judged.
 */
import type { Files } from '../protocol/tool.ts'
import { isObject } from '../lib/json.ts'
import { callKey, type Hopeless, type Prepared, type Ready } from './prepare.ts'
import { preflightPath } from './preflight.ts'

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
