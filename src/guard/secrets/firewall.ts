/**
 * The secret firewall of one session, and `redact` for a single use. Everything that leaves goes through
 * `outgoing` or one of its forms; what comes back goes through `restore` and `files`. The order is always the same:
 * hidden characters out, secrets found, placeholders in.
 */
import { randomBytes } from 'node:crypto'
import type {
  Firewall,
  FoundSecret,
  SecretInside,
  SecretPattern,
  SecretRecord,
  TextSource,
} from '../../protocol/firewall.ts'
import type { Files } from '../../protocol/tool.ts'
import { placeholdersIn } from './placeholder.ts'
import { conceal, type ConcealOptions } from './conceal.ts'
import { createDetector, type Detection, type Detector, type DetectorParts } from './detect.ts'
import { createSecretFiles } from './files.ts'
import { SecretMap } from './map.ts'
import { createRequestCleaner, withoutSecrets } from './model.ts'
import { withEcho } from './echo.ts'
import { approveCall, fillText, restoreCall } from './restore.ts'
import { createSecretStream } from './stream.ts'
import { mapTexts, textsIn } from './texts.ts'
import { cleanUnicode } from '../unicode.ts'
import { defined } from '../../lib/object.ts'

export type FirewallParts = {
  /** The project's files, secrets and all; tools get `Firewall.files` instead. */
  readonly files: Files
  readonly patterns?: readonly SecretPattern[]
  readonly entropy?: 'off' | 'warn' | 'redact'
  /** Values that must never leave, such as the keys of the arms. */
  readonly known?: readonly { readonly kind: string; readonly value: string }[]
  /** For the hashes; absent = one that ends with the process. */
  readonly key?: Uint8Array
  /** Of an earlier process of this session, and where to keep new ones. */
  readonly records?: readonly SecretRecord[]
  keep?(record: SecretRecord): void
  /** For the person: something may be a secret and left all the same. Never holds the value. */
  onWarning?(message: string): void
  /** Tools that write only through the project's files. */
  readonly fileTools?: readonly string[]
}

const FILE_TOOLS = ['write_file', 'edit_file', 'apply_patch']

export function createFirewall(parts: FirewallParts): Firewall {
  const { patterns = [], known = [], key = randomBytes(32), fileTools = FILE_TOOLS } = parts
  const map = new SecretMap({ key, ...pick(parts) })
  for (const { kind, value } of known) map.placeholderFor(kind, value)
  const detector = createDetector({ ...optionsOf(parts), tag: map.tag, known: (text) => map.find(text) })
  const files = createSecretFiles({ files: parts.files, map, detector })
  const restoring = { map, files, fileTools: new Set(fileTools) }
  const warn = warnOnce(parts.onWarning ?? (() => {}))

  function outgoingNow(text: string): string {
    const clean = cleanUnicode(text)
    const known = map.count
    return toText(clean, detector.detectNow(clean), { map, known })
  }

  const firewall: Firewall = {
    async outgoing(text, source) {
      const clean = cleanUnicode(text)
      const known = map.count
      const detection = detector.detect(clean)
      warn(clean, detection, source)
      return toText(clean, detection, {
        map,
        known,
        ...(source?.path !== undefined && { path: source.path }),
      })
    },
    outgoingNow,
    outgoingValue: (value) => mapTexts(value, outgoingNow),
    stream: () =>
      createSecretStream({
        clean: outgoingNow,
        find: (text) => detector.detectNow(text).findings,
        mayBeginAt: (text) => map.mayBeginAt(text),
        wholeLines: patterns.length > 0,
        wholeWords: parts.entropy === 'redact',
      }),
    files: files.files,
    model: (model) => withoutSecrets(model, firewall, cleanRequest),
    echo: (model) =>
      withEcho(model, { clean: cleanRequest, fillIn: (text, write) => fillText(text, map, write) }),
    restore: (request) => restoreCall(request, restoring),
    approve: (request, options) => approveCall(request, restoring, options?.always ?? false),
    secretsIn: (value) => secretsIn(value, map),
  }
  const cleanRequest = createRequestCleaner(firewall)
  return firewall
}

const pick = ({ records, keep }: FirewallParts) => ({ ...defined({ records, keep }) })

const optionsOf = ({ patterns, entropy }: FirewallParts): Pick<DetectorParts, 'patterns' | 'entropy'> => ({
  ...defined({ patterns, entropy }),
})

const toText = (text: string, { findings, blockedBy }: Detection, options: ConcealOptions): string =>
  blockedBy ? withheldText(blockedBy) : conceal(text, findings, options)

const withheldText = (name: string): string => `[withheld: this text holds "${name}", which may not leave]`

function warnOnce(tell: (message: string) => void) {
  const told = new Set<string>()
  return (text: string, { warnings }: Detection, source?: TextSource): void => {
    for (const { start, kind } of warnings.slice(0, MAX_WARNINGS)) {
      const line = text.slice(0, start).split('\n').length
      const message = `${source?.path ?? 'A text'} may hold a secret (${kind}) in line ${line}; it was not replaced.`
      if (told.has(message) || told.size >= MAX_TOLD) continue
      told.add(message)
      tell(message)
    }
  }
}

const MAX_WARNINGS = 3
const MAX_TOLD = 50

function secretsIn(value: unknown, map: SecretMap): readonly SecretInside[] {
  const numbers = textsIn(value).flatMap((text) =>
    placeholdersIn(text).flatMap(({ tag, number }) => (tag === map.tag ? [number] : [])),
  )
  return [...new Set(numbers)].flatMap((number) => {
    const secret = map.get(number)
    return secret ? [map.inside(secret)] : []
  })
}

export type Redacted = {
  readonly text: string
  readonly found: readonly FoundSecret[]
  /** What was noticed and left in place. */
  readonly warnings: readonly { readonly kind: string; readonly line: number }[]
}

/** One text on its own: its placeholders can never be turned back. */
export async function redact(
  text: string,
  options: { readonly patterns?: readonly SecretPattern[] } = {},
): Promise<Redacted> {
  const map = new SecretMap({ key: randomBytes(32) })
  const detector: Detector = createDetector({ ...options, tag: map.tag, known: () => [] })
  const clean = cleanUnicode(text)
  const detection = detector.detect(clean)
  const found = detection.findings.map(({ kind, start, end }) => ({
    kind,
    placeholder: map.placeholderFor(kind, clean.slice(start, end)),
  }))
  const warnings = detection.warnings.slice(0, MAX_TOLD).map(({ kind, start }) => ({
    kind,
    line: clean.slice(0, start).split('\n').length,
  }))
  const withheld = detection.blockedBy
  return {
    text: toText(clean, detection, { map }),
    found: withheld ? [...found, { kind: withheld, placeholder: withheldText(withheld) }] : found,
    warnings,
  }
}
