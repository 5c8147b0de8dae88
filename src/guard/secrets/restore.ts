/**
 * What becomes of placeholders in the arguments of a call. Tools that write through the project's files work with
 * placeholders and get the values back there, if the target is a file the secret was seen in. Commands, addresses,
 * Python, servers, subagents and other machines get nothing unless a person says so for that secret and that tool.
 */
import type { Restored, RestoreRequest, SecretInside } from '../../protocol/firewall.ts'
import type { Category } from '../../protocol/tool.ts'
import { findBroken, placeholdersIn } from './placeholder.ts'
import type { SecretFiles } from './files.ts'
import type { Secret, SecretMap } from './map.ts'
import { mapTexts, textsIn } from './texts.ts'

export type RestoreParts = {
  readonly map: SecretMap
  readonly files: SecretFiles
  /** Tools that write only through the project's files. */
  readonly fileTools: ReadonlySet<string>
}

/** A placeholder in these stays one, and does no harm. */
const HARMLESS = new Set<Category>(['read', 'search', 'meta', 'memory'])

export async function restoreCall(request: RestoreRequest, parts: RestoreParts): Promise<Restored> {
  const texts = textsIn(request.input)
  const found = texts.flatMap((text) => placeholdersIn(text))
  const broken = texts.flatMap((text) => findBroken(text, parts.map.tag) ?? [])[0]
  if (found.length === 0 && broken === undefined) return { verdict: 'pass', input: request.input }
  if (parts.fileTools.has(request.tool)) return restoreWrite(request, found, parts)
  if (HARMLESS.has(request.category)) return { verdict: 'pass', input: request.input }

  const own = found.filter(({ tag }) => tag === parts.map.tag)
  const secrets = own.map(({ number }) => parts.map.get(number))
  if (broken !== undefined || secrets.includes(undefined)) {
    return { verdict: 'refuse', why: unresolvable(broken ?? own[0]?.text ?? '', request.tool) }
  }
  return restoreOther(request, unique(secrets), parts)
}

type Found = ReturnType<typeof placeholdersIn>

/** Secrets of this session: a placeholder of another may bear the number of one of ours. */
const ownAmong = (found: Found, map: SecretMap): readonly Secret[] =>
  unique(found.map(({ tag, number }) => (tag === map.tag ? map.get(number) : undefined)))

/** Whether the files it writes hold the secrets; `secret-files.ts` judges again when it writes. */
async function restoreWrite(request: RestoreRequest, found: Found, parts: RestoreParts): Promise<Restored> {
  const { map, files } = parts
  const places: string[] = []
  for (const target of request.targets) {
    await files.learn(target)
    places.push(await files.placeOf(target))
  }
  const strangers = ownAmong(found, map).filter(
    ({ places: seen }) => !places.some((place) => seen.has(place)),
  )
  if (strangers.length === 0) return { verdict: 'pass', input: request.input }
  const lost = strangers.find(({ value }) => value === undefined)
  if (lost) return { verdict: 'refuse', why: unresolvable(lost.placeholder, request.tool) }
  return ask(request, strangers, parts)
}

function restoreOther(request: RestoreRequest, secrets: readonly Secret[], parts: RestoreParts): Restored {
  const { map } = parts
  const lost = secrets.find(({ value }) => value === undefined)
  if (lost) return { verdict: 'refuse', why: unresolvable(lost.placeholder, request.tool) }
  const unsafe = secrets.find(({ value = '' }) => request.category === 'run' && !SHELL_SAFE.test(value))
  if (unsafe) return { verdict: 'refuse', why: unquotable(unsafe.placeholder) }
  const strangers = secrets.filter(({ tools }) => !tools.has(request.tool))
  return strangers.length === 0
    ? { verdict: 'pass', input: fillIn(request.input, map) }
    : ask(request, strangers, parts)
}

/** What a person approved is what runs: a value that could end a quotation would change the command. */
const SHELL_SAFE = /^[\w.+/=:@%,-]+$/

/** The input to run now that a person said yes. */
export async function approveCall(
  request: RestoreRequest,
  parts: RestoreParts,
  always: boolean,
): Promise<unknown> {
  const { map, files, fileTools } = parts
  const found = textsIn(request.input).flatMap((text) => placeholdersIn(text))
  const secrets = ownAmong(found, map)
  if (!fileTools.has(request.tool)) {
    if (always) for (const { tools } of secrets) tools.add(request.tool)
    return fillIn(request.input, map)
  }
  for (const target of request.targets) {
    const path = await files.placeOf(target)
    for (const { places } of secrets) if (!places.has(path)) places.set(path, 0)
  }
  return request.input
}

const fillIn = (input: unknown, map: SecretMap): unknown =>
  mapTexts(input, (text) => fillText(text, map, (value) => value))

/** The placeholders of this session turned back, each value as `write` writes it. */
export const fillText = (text: string, map: SecretMap, write: (value: string) => string): string =>
  placeholdersIn(text)
    .filter(({ tag }) => tag === map.tag)
    .reduceRight((filled, { start, end, number, text: placeholder }) => {
      const value = map.get(number)?.value
      return filled.slice(0, start) + (value === undefined ? placeholder : write(value)) + filled.slice(end)
    }, text)

function ask(request: RestoreRequest, secrets: readonly Secret[], { map }: RestoreParts): Restored {
  const inside = secrets.map((secret) => map.inside(secret))
  return {
    verdict: 'ask',
    secrets: inside,
    why: `${request.tool} would get ${inside.map(describe).join(' and ')}`,
  }
}

const describe = ({ kind, placeholder, path }: SecretInside): string =>
  `the real value of ${placeholder} (${kind}${path === undefined ? '' : ` from ${path}`})`

const unresolvable = (placeholder: string, tool: string): string =>
  `${placeholder} stands for a secret that cannot be filled in, so ${tool} was not run. ` +
  'Leave it out, or ask the person to set the value.'

const unquotable = (placeholder: string): string =>
  `The value of ${placeholder} has characters that would change the command, so it was not run. ` +
  'Let the program read it from its file or the environment.'

const unique = (secrets: readonly (Secret | undefined)[]): readonly Secret[] => [
  ...new Set(secrets.filter((secret) => secret !== undefined)),
]
