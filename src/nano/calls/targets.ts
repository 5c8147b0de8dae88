/**
 * Where a copy or a move goes. People name the new folder and mean the old name in it, or name the new name and mean the old
 * folder. Reads only what is there.
 */
import { nameOf, wordsIn } from '../request/naming.ts'
import type { ProjectFiles } from '../project/sources.ts'
import type { NanoCall, NanoStep } from '../steps/run.ts'

const TRANSFERS = new Set(['copy_file', 'move_file'])

const AT_ROOT =
  /\b(?:main|top|root|project) (?:folder|directory|dir|level)\b|\bthe (?:root|top)\b(?! of the (?:file|list|page))/i

export async function withTarget(call: NanoCall, files: ProjectFiles, request = ''): Promise<NanoCall> {
  const { from, to } = call.input
  if (!TRANSFERS.has(call.name) || typeof from !== 'string' || typeof to !== 'string') return call
  const source = from.replace(/\/+$/, '')
  const name = source.slice(source.lastIndexOf('/') + 1)
  const folder = to.replace(/\/+$/, '')
  const isFolder =
    to === '.' ||
    to.endsWith('/') ||
    isNewFolder(to, name, request) ||
    (await kindOf(folder, files)) === 'folder'
  if (isFolder) return { ...call, input: { from: source, to: to === '.' ? name : `${folder}/${name}` } }
  const parent = parentOf(source)
  // The name of another file, which nobody said: nano has taken it from its list.
  if (parentOf(folder) !== '' && isUnsaid(nameOf(folder), name, request))
    return { ...call, input: { from: source, to: `${parentOf(folder)}/${name}` } }
  // `release/4.13/signoff` for a signoff.md: the file keeps its ending.
  if (to.includes('/') && name.startsWith(`${nameOf(to)}.`) && !request.includes(to))
    return { ...call, input: { from: source, to: `${parentOf(to)}/${name}` } }
  const target = parent !== '' && !to.includes('/') && !AT_ROOT.test(request) ? `${parent}/${to}` : to
  return { ...call, input: { from: source, to: withEnding(target, name) } }
}

const bareOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z\d]/g, '')

const isUnsaid = (target: string, name: string, request: string): boolean => {
  const said = wordsIn(request)
  const words = wordsIn(target.replace(/\.\w+$/, ''))
  const isNew = target !== name.toLowerCase() && /\.\w+$/.test(target)
  return (
    isNew &&
    words.length > 1 &&
    !bareOf(request).includes(bareOf(target.replace(/\.\w+$/, ''))) &&
    words.some((word) => !said.includes(word))
  )
}

/** `retro_july` for a copy of retro_june.md: what is called like it is of its kind. */
function withEnding(target: string, name: string): string {
  const ending = /\.\w+$/.exec(name)?.[0] ?? ''
  const isAlike = wordsIn(nameOf(target)).some((word) => word.length > 2 && wordsIn(name).includes(word))
  return ending !== '' && isAlike && !/\.\w+$/.test(target) ? target + ending : target
}

/** "Move both into invoices/unpaid", which is not there yet: a file does not lose its ending on the way. */
const isNewFolder = (to: string, name: string, request: string): boolean => {
  const at = request.toLowerCase().lastIndexOf(to.toLowerCase())
  const isPlain = !/\.\w+$/.test(to) && /\.\w+$/.test(name)
  return isPlain && at > 0 && INTO.test(request.slice(0, at))
}

const INTO =
  /\b(?:into|inside|under|(?:folder|directory|dir)(?: called| named)?)\s+(?:(?:the|a|an|new|my|our|folder|directory|called|named)\s+)*["'`“]?$/i

/** "A folder called photos inside diary/2025": what is made goes there. */
export function inFolderSaid(call: NanoCall, clause: string, paths: readonly string[]): NanoCall {
  const { path, append } = call.input
  if (!MAKES.has(call.name) || append === true || typeof path !== 'string') return call
  const name = path.replace(/\/+$/, '')
  if (/[/\\]/.test(name) || paths.some((one) => one.replace(/\/+$/, '') === name)) return call
  const at = clause.lastIndexOf(name)
  const [, place = ''] = IN_PLACE.exec(at < 0 ? '' : clause.slice(at + name.length)) ?? []
  const said = place.toLowerCase().replace(/[/.,;:!?]+$/, '')
  const found = paths.filter((one) => one.endsWith('/') && `/${one.toLowerCase()}`.endsWith(`/${said}/`))
  const [folder, ...others] = found
  return said === '' || folder === undefined || others.length > 0
    ? call
    : { ...call, input: { ...call.input, path: `${folder}${name}` } }
}

const MAKES = new Set(['make_folder', 'write_file'])
const IN_PLACE = /^["'`”’]?\s+(?:in|inside|within|under)\s+(?:(?:the|my|our|folder)\s+)*["'`“‘]?([\w./-]+)/i

const kindOf = async (path: string, files: ProjectFiles): Promise<string | undefined> =>
  (await files.info(path).catch(() => undefined))?.kind

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Folders that the calls made or wrote to, with a slash at the end: a later one may put more there. */
export const foldersOf = (steps: readonly NanoStep[]): string[] => [
  ...new Set(
    steps.flatMap(({ call: { name, input } }) => {
      if (name === 'make_folder') return [`${String(input['path']).replace(/\/+$/, '')}/`]
      const paths = [input['path'], input['to']].filter((value) => typeof value === 'string')
      return paths.map(parentOf).flatMap((folder) => (folder === '' ? [] : [`${folder}/`]))
    }),
  ),
]
