/**
 * The project's files with their secrets behind placeholders. Tools read, compare and edit the text with placeholders
 * in it; on the way back to the disk each becomes the value it stands for, so that a file comes out byte for byte as
 * it was except for the edit. A value goes only into a file it was seen in; a write that would leave a placeholder is
 * refused.
 */
import { relative } from 'node:path'
import { toPosix } from '../../lib/path.ts'
import { AppError } from '../../protocol/error.ts'
import type { Files } from '../../protocol/tool.ts'
import { containPath } from '../paths/contain.ts'
import { findBroken, type PlaceholderAt, placeholdersIn } from './placeholder.ts'
import { conceal } from './conceal.ts'
import type { Detector } from './detect.ts'
import type { Secret, SecretMap } from './map.ts'

export type SecretFilesParts = {
  readonly files: Files
  readonly map: SecretMap
  readonly detector: Detector
}

export type SecretFiles = {
  readonly files: Files
  /** A path as the map knows it: links followed, below the root. */
  placeOf(path: string): Promise<string>
  /** Scans the current content of a file; without a file, nothing is learnt. */
  learn(path: string): Promise<string | undefined>
}

export function createSecretFiles(parts: SecretFilesParts): SecretFiles {
  const { files } = parts
  const placeOf = async (path: string): Promise<string> => {
    const { real } = await containPath(path, { roots: [files.root], operation: 'read' })
    return real === undefined ? path : toPosix(relative(files.root, real))
  }

  async function read(path: string, signal?: AbortSignal): Promise<{ raw: string; shown: string }> {
    const raw = await files.read(path, signal)
    const known = parts.map.count
    const detection = parts.detector.detect(raw)
    if (detection.blockedBy) throw withheld(path, detection.blockedBy)
    const place = await placeOf(path)
    recover(parts.map, place, raw)
    return { raw, shown: conceal(raw, detection.findings, { map: parts.map, path: place, known }) }
  }

  async function learn(path: string): Promise<string | undefined> {
    if (!(await files.info(path).catch(() => undefined))) return undefined
    return read(path).then(
      ({ raw }) => raw,
      () => undefined,
    )
  }

  return {
    placeOf,
    learn,
    files: {
      root: files.root,
      info: (path) => files.info(path),
      list: (path) => files.list(path),
      remove: (path) => files.remove(path),
      read: async (path, signal) => (await read(path, signal)).shown,
      // As it is: a secret may lie across two pieces. What a tool says about it passes `outgoing`.
      stream: (path, signal) => files.stream(path, signal),
      async write(path, text) {
        const found = placeholdersIn(text)
        if (found.length === 0 && !findBroken(text, parts.map.tag)) return files.write(path, text)
        const before = (await learn(path)) ?? ''
        await files.write(path, reveal(parts.map, { path, place: await placeOf(path), text, before }))
      },
    },
  }
}

const withheld = (path: string, name: string): AppError =>
  new AppError('permission-denied', `${path} holds "${name}", which may not leave this machine.`, {
    failure: 'denied',
  })

/** After a restart values are known again once the file that holds them is read. */
function recover(map: SecretMap, place: string, raw: string): void {
  for (const secret of map.lostIn(place)) {
    const offset = secret.places.get(place)
    if (offset !== undefined) map.recover(secret, { path: place, offset }, raw)
  }
}

type Writing = {
  readonly path: string
  readonly place: string
  readonly text: string
  /** What the file holds now. */
  readonly before: string
}

function reveal(map: SecretMap, { path, place, text, before }: Writing): string {
  const broken = findBroken(text, map.tag)
  if (broken) throw refused(path, broken, 'it is not a whole placeholder; copy it exactly as it was shown')
  let written = ''
  let from = 0
  for (const placeholder of placeholdersIn(text)) {
    written += text.slice(from, placeholder.start) + valueOf(map, placeholder, { path, place, text, before })
    from = placeholder.end
  }
  return written + text.slice(from)
}

function valueOf(map: SecretMap, placeholder: PlaceholderAt, { path, place, before }: Writing): string {
  if (placeholder.tag !== map.tag) {
    if (before.includes(placeholder.text)) return placeholder.text
    throw refused(path, placeholder.text, 'it belongs to another session and stands for nothing here')
  }
  const secret = map.get(placeholder.number)
  if (secret && isAt(secret, place) && secret.placeholder === placeholder.text) {
    if (secret.value !== undefined) return secret.value
  }
  const why = secret
    ? 'the value it stands for does not come from this file'
    : 'it stands for no secret of this session'
  throw refused(path, placeholder.text, why)
}

const isAt = ({ places }: Secret, place: string): boolean => places.has(place)

const refused = (path: string, placeholder: string, why: string): AppError =>
  new AppError(
    'permission-denied',
    `${path} was not written: ${placeholder} would take the place of a secret, and ${why}. ` +
      'Leave lines that hold secrets out of the change, or ask the person to set the value.',
    { failure: 'denied' },
  )
