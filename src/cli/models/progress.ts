/** How far a download is: a bar that redraws itself on a terminal, a line for every tenth in a pipe, JSON where asked. */
import { jsonLine } from '../../lib/clean.ts'
import { REDRAW } from '../safe-io.ts'
import type { DownloadProgress } from '../../models/download.ts'
import type { CommandIo } from '../command.ts'
import { formatBytes } from './local.ts'

export type Progress = { show(progress: DownloadProgress): void; end(): void }

const BAR = 24
const REDRAW_MS = 100

export function createProgress(
  io: CommandIo,
  file: string,
  json: boolean,
  now: () => number = () => performance.now(),
): Progress {
  const rate = createRate(now)
  let drawn = Number.NEGATIVE_INFINITY
  let said = ''
  return {
    show(progress) {
      const speed = rate(progress)
      if (io.isTty && !json) {
        if (now() - drawn < REDRAW_MS) return
        drawn = now()
        io.err(`${REDRAW}${toBar(file, progress, speed)}`)
        return
      }
      const step = stepOf(progress)
      if (step === said) return
      said = step
      if (json) io.out(jsonLine({ type: 'progress', ...progress }))
      else io.err(`${file}: ${step}\n`)
    },
    end() {
      if (drawn > Number.NEGATIVE_INFINITY) io.err(REDRAW)
    },
  }
}

/** Bytes per second over the last moments, so that a resumed download is not credited with what was there before. */
function createRate(now: () => number): (progress: DownloadProgress) => number | undefined {
  let from: { readonly at: number; readonly bytes: number; readonly stage: string } | undefined
  return ({ bytes, stage }) => {
    if (!from || from.stage !== stage) from = { at: now(), bytes, stage }
    const seconds = (now() - from.at) / 1000
    return seconds > 0.5 ? (bytes - from.bytes) / seconds : undefined
  }
}

function toBar(file: string, { stage, bytes, total }: DownloadProgress, speed: number | undefined): string {
  const rate = speed === undefined ? '' : `  ${formatBytes(speed)}/s`
  if (total === undefined) return `${file}  ${formatBytes(bytes)}${rate}`
  const part = total === 0 ? 1 : bytes / total
  const bar = '█'.repeat(Math.floor(part * BAR)).padEnd(BAR, '░')
  const left = speed === undefined || speed <= 0 ? '' : `  ${formatTime((total - bytes) / speed)} left`
  const what = stage === 'verifying' ? 'checking ' : ''
  return `${what}${file}  ${bar} ${percent(part)}  ${formatBytes(bytes)} of ${formatBytes(total)}${rate}${left}`
}

const percent = (part: number): string => `${Math.floor(part * 100)} %`

function formatTime(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return minutes > 0 ? `${minutes} min` : `${Math.ceil(seconds)} s`
}

function stepOf({ stage, bytes, total }: DownloadProgress): string {
  const word = stage === 'verifying' ? 'checking, ' : ''
  if (total === undefined) return `${word}${formatBytes(Math.floor(bytes / 2 ** 28) * 2 ** 28)}`
  return `${word}${percent(Math.floor((bytes / total) * 10) / 10)} of ${formatBytes(total)}`
}
