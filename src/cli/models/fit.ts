/** `covey models fit`: a table of what fits this machine, and for the rest how far it is from fitting. */
import { cleanControl, jsonLine } from '../../lib/clean.ts'
import { AppError } from '../../protocol/error.ts'
import { fitModel, type Fit, type FitLine, type FitResult } from '../../models/fit.ts'
import type { LocalModel } from '../../models/local/model.ts'
import { findLocal } from '../../models/local/store.ts'
import type { Hardware } from '../../models/machine.ts'
import { formatBytes, type ModelsService } from './local.ts'
import { SMALLEST_WINDOW } from '../../protocol/token-limits.ts'

export async function printFit(service: ModelsService): Promise<number> {
  const { context, catalog, json } = service
  const [{ hardware, advice }, local] = await Promise.all([service.machine(), service.local()])
  const window = readWindow(context.options['window'])
  const [wish] = context.args
  const result = fitModel(hardware, catalog, wish, window === undefined ? {} : { window })
  if (json) context.io.out(jsonLine({ ...toJson(hardware, result), ...(advice && { advice: advice.text }) }))
  else if (wish === undefined) context.io.out(toTable(hardware, result, local))
  if (advice && !json) context.io.out(`${cleanControl(advice.text)}\n`)
  if (result.ok && wish !== undefined && !json) context.io.out(`${describeFit(result.choice)}\n`)
  if (result.ok || json) return result.ok ? 0 : 1
  throw new AppError(
    result.reason === 'unknown-model' ? 'config-invalid' : 'model-unavailable',
    result.message,
  )
}

function readWindow(text: unknown): number | undefined {
  if (text === undefined) return undefined
  const tokens = Number(text)
  if (Number.isInteger(tokens) && tokens >= SMALLEST_WINDOW) return tokens
  throw new AppError(
    'config-invalid',
    `--window must be a number of tokens from ${SMALLEST_WINDOW} on, not "${String(text)}".`,
  )
}

function toTable(hardware: Hardware, result: FitResult, local: readonly LocalModel[]): string {
  const rows = result.lines.flatMap((line) => ('fit' in line ? [line.fit] : []))
  const fitting = rows.toSorted((a, b) => b.entry.rank - a.entry.rank)
  const head = ['', 'model', 'window', 'workers', 'memory', 'tokens/s', 'where']
  const table = [head, ...fitting.map((fit) => toCells(fit, findLocal(fit.id, local) !== undefined))]
  const widths = head.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)))
  const lines = table.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [
    describeHardware(hardware),
    '',
    ...lines,
    '',
    ...tooLarge(result.lines),
    ...advice(result, local),
    '',
  ].join('\n')
}

function toCells(
  { id, window, workers, bytes, speed, place, slow }: Fit,
  isHere: boolean,
): readonly string[] {
  const where = `${PLACES[place]}${slow ? ', slow' : ''}`
  const rate = speed === undefined ? 'unknown' : `about ${Math.max(1, Math.round(speed))}`
  return [isHere ? '✓' : ' ', id, String(window), String(workers), formatBytes(bytes), rate, where]
}

const PLACES: Readonly<Record<Fit['place'], string>> = {
  gpu: 'graphics card',
  split: 'card and main memory',
  cpu: 'main memory',
  unknown: 'unknown',
}

const describeFit = (fit: Fit): string => {
  const [, id, window, workers, memory, rate, where] = toCells(fit, false)
  return `${id} fits: window ${window}, workers ${workers}, ${memory}, ${rate} tokens/s, in ${where}.`
}

function describeHardware({ cores, ramFree, ramBytes, gpus, diskFree }: Hardware): string {
  const size = (bytes: number | undefined): string => (bytes === undefined ? 'unknown' : formatBytes(bytes))
  const cards = gpus.map(
    ({ name, freeBytes, unified }) => `${name} (${size(freeBytes)} free${unified ? ', shared' : ''})`,
  )
  return [
    `cores ${cores ?? 'unknown'}`,
    `memory ${size(ramFree)} free of ${size(ramBytes)}`,
    `graphics ${cards.join(', ') || 'none found'}`,
    `disk ${size(diskFree)} free`,
  ].join(' · ')
}

/** The nearest to fitting first. */
function tooLarge(lines: readonly FitLine[]): string[] {
  const missing = lines
    .flatMap((line) => ('why' in line ? [line] : []))
    .toSorted((a, b) => a.missingBytes - b.missingBytes)
  if (missing.length === 0) return []
  const rows = missing.map(({ entry, missingBytes, why }) =>
    missingBytes > 0
      ? `  ${`${entry.name}:${entry.size}`.padEnd(22)} by ${formatBytes(missingBytes)}`
      : `  ${why}`,
  )
  return ['Do not fit:', ...rows, '']
}

function advice(result: FitResult, local: readonly LocalModel[]): string[] {
  if (!result.ok) return []
  const { choice, command } = result
  if (findLocal(choice.id, local)) return [`Best here: ${command}`]
  return [`Best here: covey models pull ${choice.id}`, `     then: ${command}`]
}

function toJson(hardware: Hardware, result: FitResult) {
  const models = result.lines.map((line) =>
    'fit' in line
      ? { model: `${line.entry.name}:${line.entry.size}`, fits: true, ...plain(line.fit) }
      : {
          model: `${line.entry.name}:${line.entry.size}`,
          fits: false,
          missingBytes: line.missingBytes,
          why: line.why,
        },
  )
  const outcome = result.ok
    ? { choice: plain(result.choice), command: result.command }
    : { reason: result.reason, message: result.message }
  return { hardware, ok: result.ok, ...outcome, models }
}

const plain = ({ entry: _entry, ...fit }: Fit): Omit<Fit, 'entry'> => fit
