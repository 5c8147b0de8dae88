/**
 * The answer to the person, written by code out of the last result: nano only picked its form. Everything it states is
 * either in the result, or counted in it, or the call itself; where form and result disagree, the result wins. Pure.
 */
import { clip, plural } from '../../lib/text.ts'
import type { Form } from '../weights/format.ts'
import { readListing } from './listing.ts'
import { type NanoCall, type NanoStep, readOutput } from '../steps/run.ts'

export function renderAnswer(form: Form, step: NanoStep): string {
  if (!step.ok && form !== 'exit') return renderers.error(step)
  return step.ok && form === 'error' ? renderers.text(step) : renderers[form](step)
}

const renderers: Readonly<Record<Form, (step: NanoStep) => string>> = {
  text: ({ call, text }) =>
    isNumbered(call.name) ? joined(`${subjectOf(call)}:`, quoted(withoutNumbers(text))) : quoted(text),

  list(step) {
    const listing = readListing(step)
    if (!listing) return renderers.text(step)
    const { nothing, entries, remarks } = listing
    return joined(nothing, ...remarks, bullets(entries))
  },

  count(step) {
    const listing = readListing(step)
    if (listing)
      return joined(`${listing.total}${listing.nothing ? `. ${listing.nothing}` : '.'}`, ...listing.remarks)
    if (!isNumbered(step.call.name)) return renderers.text(step)
    return `${lineCount(step.text)} in ${renderers.text(step)}`
  },

  exists(step) {
    const { name } = step.call
    const listing = name === 'list_files' ? undefined : readListing(step)
    if (listing?.nothing)
      return joined(`No. ${listing.nothing}`, ...listing.remarks, bullets(listing.entries))
    if (listing) return joined(`Yes, ${listing.total}:`, ...listing.remarks, bullets(listing.entries))
    return name === 'read_file' ? `Found ${renderers.text(step)}` : renderers.list(step)
  },

  exit: (step) => (step.call.name === 'run_command' ? renderExit(step) : renderers.done(step)),

  done: (step) =>
    step.call.name === 'run_command' ? renderExit(step) : joined(step.ok ? 'Done.' : '', told(step.text)),

  error: ({ text }) => joined('That did not work:', told(text)),
}

function renderExit(step: NanoStep): string {
  const { call, ok, text } = step
  const command = `\`${subjectOf(call)}\``
  const running = /\[(job-\d+) is running|\[still running after .* as (job-\d+);/.exec(text)
  if (running)
    return joined(`${command} is running in the background as ${running[1] ?? running[2]}.`, quoted(text))
  const { output, exitCode } = readOutput(text, ok)
  // It was stopped, or never ran: the tool says which.
  if (exitCode === undefined) return renderers.error(step)
  return joined(`${command} ended with exit code ${exitCode}.`, quoted(output))
}

/** The path, id or command a call is about. */
const subjectOf = ({ input }: NanoCall): string =>
  clip(String(Object.values(input).find((value) => typeof value === 'string') ?? 'the result'), LONGEST_LINE)

const isNumbered = (name: string): boolean => name === 'read_file' || name === 'read_result'

const withoutNumbers = (text: string): string =>
  text.replaceAll(/^\d+\t/gm, '').replace(/; go on with from=\d+\]/, ']')

/** Of the whole file where the page says so. */
function lineCount(text: string): string {
  const total = /^\[lines \d+-\d+ of (\d+)/m.exec(text)?.[1]
  const numbered = text.match(/^\d+\t/gm) ?? []
  return plural(Number(total ?? numbered.length), 'line')
}

const MOST_LINES = 100
const LONGEST_LINE = 200

/** As it is, set apart from our own words; what is too much is said to be left out. */
function quoted(text: string): string {
  const lines = withoutRepeats(text.trimEnd().split('\n'))
  const shown = lines.slice(0, MOST_LINES).map((line) => clip(line, LONGEST_LINE))
  const rest = lines.length - shown.length
  const fence = text.includes('```') ? '````' : '```'
  const block = [fence, ...shown, fence].join('\n')
  return text.trim() === '' ? '' : joined(block, rest > 0 ? `[${plural(rest, 'more line')}]` : '')
}

/** A tool's own sentence needs no marks around it. */
const told = (text: string): string => (text.includes('\n') ? quoted(text) : clip(text, 5 * LONGEST_LINE))

/** A reply that says one thing many times looks like a model going in circles, even where a file is like that. */
const MOST_REPEATS = 3

function withoutRepeats(lines: readonly string[]): string[] {
  const kept: string[] = []
  let repeats = 0
  const close = (): void => {
    if (repeats > 0) kept.push(`[the same line ${plural(repeats, 'more time')}]`)
    repeats = 0
  }
  for (const [index, line] of lines.entries()) {
    const isRepeat =
      index >= MOST_REPEATS && lines.slice(index - MOST_REPEATS, index).every((one) => one === line)
    if (isRepeat) repeats++
    else {
      close()
      kept.push(line)
    }
  }
  close()
  return kept
}

function bullets(entries: readonly string[]): string {
  const shown = entries.slice(0, MOST_LINES).map((entry) => `- ${clip(entry, LONGEST_LINE)}`)
  const rest = entries.length - shown.length
  return joined(...shown, rest > 0 ? `[and ${rest} more]` : '')
}

const joined = (...lines: readonly (string | undefined)[]): string => lines.filter(Boolean).join('\n')
