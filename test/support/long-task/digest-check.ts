/**
 * Holds the lines of a digest against what really happened. Written against the trace alone and without the code that
 * makes digests, so that a mistake there is not made here again.
 */
export type TracedCall = {
  readonly turn: number
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly ok: boolean
  /** As the model was shown it. */
  readonly text: string
}

/** Every line that is not borne out, with why. */
export function falseLines(digest: string, trace: readonly TracedCall[]): readonly string[] {
  return digest
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const why = whyFalse(line, trace)
      return why === undefined ? [] : [`${line} (${why})`]
    })
}

function whyFalse(line: string, trace: readonly TracedCall[]): string | undefined {
  if (/^- \(\d+ older lines? left out\)$/.test(line)) return undefined
  const [, path, ranges] = /^- read (\S+) lines ([\d, -]+)/.exec(line) ?? []
  if (path !== undefined && ranges !== undefined)
    return readIsFalse({ path, ranges: ranges.trim(), isOld: line.includes(' before it changed') }, trace)
  const [, edited, sign, text = ''] = /^- edited (\S+)(?: ([+-]) (.*))?$/.exec(line) ?? []
  if (edited !== undefined) return editIsFalse({ path: edited, sign, text }, trace)
  const [, wrote] = /^- wrote (\S+) \(/.exec(line) ?? []
  if (wrote !== undefined) return hasChange(trace, 'write_file', wrote) ? undefined : 'never written'
  const [, ran] = /^- ran `(.*?)`/.exec(line) ?? []
  if (ran !== undefined) return lastCheck(trace, ran) === 'red' ? 'its last run failed' : undefined
  const [, searched] = /^- searched "(.*?)"/.exec(line) ?? []
  if (searched !== undefined) return searchIsFalse(line, searched, trace)
  const [, open] = /^(?:Failed and still open|Last error): (.*)$/.exec(line) ?? []
  return open === undefined ? 'a line of no known kind' : openIsFalse(open, trace)
}

const numbersIn = (text: string): number[] =>
  [...text.matchAll(/^(\d+)\t/gm)].map(([, number]) => Number(number))

/** The path as it is: what was corrected is named in the result. */
const pathOf = ({ input, text }: TracedCall): unknown =>
  /^\[path corrected: .* -> (.*)\]/.exec(text)?.[1] ?? input['path']

type Read = { readonly path: string; readonly ranges: string; readonly isOld: boolean }

function readIsFalse({ path, ranges, isOld }: Read, trace: readonly TracedCall[]): string | undefined {
  const pages = trace.filter((call) => call.name === 'read_file' && call.ok && pathOf(call) === path)
  const seen = new Set(pages.flatMap(({ text }) => numbersIn(text)))
  for (const range of ranges.split(', ')) {
    const [from = 0, to = from] = range.split('-').map(Number)
    for (let line = from; line <= to; line++) if (!seen.has(line)) return `line ${line} was never read`
  }
  const changed = trace.findLastIndex((call) => isChange(call) && call.ok && pathOf(call) === path)
  const read = trace.findLastIndex((call) => pages.includes(call))
  return changed > read && !isOld ? 'the file was changed since' : undefined
}

const isChange = ({ name }: TracedCall): boolean => name === 'edit_file' || name === 'write_file'

const hasChange = (trace: readonly TracedCall[], name: string, path: string): boolean =>
  trace.some((call) => call.name === name && call.ok && pathOf(call) === path)

type Edit = { readonly path: string; readonly sign: string | undefined; readonly text: string }

function editIsFalse({ path, sign, text }: Edit, trace: readonly TracedCall[]): string | undefined {
  const edits = trace.filter((call) => call.name === 'edit_file' && call.ok && pathOf(call) === path)
  if (edits.length === 0) return 'never edited'
  const words = text.replace(/…$/, '').trim()
  const plain = (value: unknown) => String(value).replaceAll(/\s+/g, ' ')
  const isSaid = edits.some((call) => {
    const shown = plain(
      call.text
        .split('\n')
        .filter((line) => line.startsWith(sign ?? ''))
        .map((line) => line.slice(1))
        .join(' '),
    )
    return shown.includes(words) || plain(call.input[sign === '-' ? 'old' : 'new']).includes(words)
  })
  return isSaid ? undefined : 'no edit reads like that'
}

function searchIsFalse(line: string, pattern: string, trace: readonly TracedCall[]): string | undefined {
  const at = trace.findLastIndex((call) => call.name === 'search_text' && call.input['pattern'] === pattern)
  if (at < 0) return 'never searched'
  const stale = trace
    .slice(at + 1)
    .find((call) => isChange(call) && call.ok && line.includes(String(pathOf(call))))
  return stale ? `${String(pathOf(stale))} was changed since` : undefined
}

/** How the newest run of the command ended, by what it printed or by its exit code where nothing stands behind it. */
function lastCheck(trace: readonly TracedCall[], command: string): 'red' | 'green' | undefined {
  const runs = trace.filter(
    ({ name, input }) => name === 'run_command' && String(input['command']).startsWith(command),
  )
  const results = runs.flatMap((call) => {
    if (/not ok|# fail [1-9]/.test(call.text)) return ['red' as const]
    const isWhole = !/[|;]/.test(String(call.input['command']))
    if (/# fail 0/.test(call.text) || (isWhole && call.ok)) return ['green' as const]
    return isWhole ? ['red' as const] : []
  })
  return results.at(-1)
}

function openIsFalse(text: string, trace: readonly TracedCall[]): string | undefined {
  const commands = [...text.matchAll(/`([^`]+)`(?=;|:|$)/g)].map(([, command = '']) => command)
  for (const command of commands) if (lastCheck(trace, command) !== 'red') return `${command} does not fail`
  const [, tool, path] = /^(edit_file|write_file) (\S+?)[:;]?(?: |$)/.exec(text) ?? []
  if (tool === undefined) return commands.length > 0 ? undefined : 'no command or change is named'
  const last = trace.findLast((call) => isChange(call) && pathOf(call) === path)
  return last?.ok === false ? undefined : `${path} was changed since`
}
