/**
 * What `covey shell` costs, as ratios within one run: key echo, `cat` of 100 MB and memory over many commands, each beside the
 * bare shell in the same kind of pty. `npm run bench:shell`; `COMMANDS=50000` for a day's use.
 */
import { spawn } from '@lydell/node-pty'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const KEYS = Number(process.env['KEYS'] ?? 300)
const MEGABYTES = Number(process.env['MEGABYTES'] ?? 100)
const COMMANDS = Number(process.env['COMMANDS'] ?? 3_000)

const folder = mkdtempSync(join(tmpdir(), 'covey-bench-shell-'))
writeFileSync(join(folder, '.bash_profile'), "PS1='ready> '\n")
writeFileSync(join(folder, 'replies.jsonl'), '{"text":"Yes."}\n')
writeFileSync(
  join(folder, 'large.txt'),
  `${'0123456789abcdef'.repeat(5)}\n`.repeat((MEGABYTES * 1_000_000) / 81),
)

type Shell = ReturnType<typeof open>

function open(argv: readonly string[]) {
  const [file = '', ...args] = argv
  const env = {
    HOME: folder,
    PATH: process.env['PATH'] ?? '',
    TERM: 'xterm',
    SHELL: '/bin/bash',
    HISTFILE: '',
    LANG: 'C.UTF-8',
  }
  const child = spawn(file, args, { cols: 80, rows: 24, cwd: folder, env, name: 'xterm', encoding: null })
  let tail = ''
  let wake = (): void => undefined
  child.onData((data: unknown) => {
    const bytes = data as Buffer
    tail = (tail + bytes.toString('latin1', Math.max(0, bytes.length - 200))).slice(-400)
    wake()
  })
  return {
    pid: child.pid,
    ended: new Promise<void>((resolve) => child.onExit(() => resolve())),
    type: (text: string) => child.write(text),
    clear: () => void (tail = ''),
    until: (isSeen: (text: string) => boolean) =>
      new Promise<void>((resolve) => {
        wake = () => {
          if (isSeen(tail)) resolve()
        }
        wake()
      }),
    close: () => child.kill('SIGKILL'),
  }
}

const bare = (): Shell => open(['/bin/bash', '--rcfile', join(folder, '.bash_profile'), '-i'])
const covey = (): Shell =>
  open([
    process.execPath,
    MAIN,
    'shell',
    '--incognito',
    '--model',
    `scripted:${join(folder, 'replies.jsonl')}`,
  ])

const isPrompt = (text: string): boolean => /ready> (?:\u001B\[[\d;?]*[A-Za-z])*$/.test(text)

async function run(shell: Shell, line: string): Promise<void> {
  shell.clear()
  shell.type(`${line}\r`)
  await shell.until((text) => /\n[^]*ready> /.test(text) && isPrompt(text))
}

async function echoTimes(shell: Shell): Promise<readonly number[]> {
  const times: number[] = []
  for (let key = 0; key < KEYS; key++) {
    const letter = 'abcdefghij'[key % 10] ?? 'a'
    shell.clear()
    const since = performance.now()
    shell.type(letter)
    await shell.until((text) => text.includes(letter))
    times.push(performance.now() - since)
    if (key % 50 === 49) await run(shell, '\u0015')
    await new Promise((resolve) => setTimeout(resolve, 3))
  }
  return times.toSorted((a, b) => a - b)
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? 0

async function catTime(shell: Shell): Promise<number> {
  const since = performance.now()
  await run(shell, 'cat large.txt')
  return performance.now() - since
}

const residentKb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)

async function memory(shell: Shell): Promise<readonly number[]> {
  const sizes: number[] = []
  const step = Math.max(1, Math.floor(COMMANDS / 10))
  for (let command = 0; command < COMMANDS; command++) {
    await run(shell, `echo command ${command} printed this`)
    if (command % step === step - 1) sizes.push(residentKb(shell.pid))
  }
  return sizes
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / numbers.length

async function main(): Promise<void> {
  const shells = { bare: bare(), covey: covey() }
  await Promise.all([shells.bare.until(isPrompt), shells.covey.until(isPrompt)])
  // In turns, so that a busy machine is busy for both.
  const times = { bare: [] as number[], covey: [] as number[] }
  for (let round = 0; round < 2; round++) {
    times.bare.push(...(await echoTimes(shells.bare)))
    times.covey.push(...(await echoTimes(shells.covey)))
  }
  const [bareTimes, coveyTimes] = [times.bare, times.covey].map((list) => list.toSorted((a, b) => a - b)) as [
    number[],
    number[],
  ]
  for (const share of [0.5, 0.95])
    console.log(
      `key echo p${share * 100}: bare ${at(bareTimes, share).toFixed(2)} ms, covey ${at(coveyTimes, share).toFixed(2)} ms, adds ${(at(coveyTimes, share) - at(bareTimes, share)).toFixed(2)} ms`,
    )
  const cats = { bare: [] as number[], covey: [] as number[] }
  for (let round = 0; round < 3; round++) {
    cats.bare.push(await catTime(shells.bare))
    cats.covey.push(await catTime(shells.covey))
  }
  console.log(
    `cat of ${MEGABYTES} MB: bare ${Math.min(...cats.bare).toFixed(0)} ms, covey ${Math.min(...cats.covey).toFixed(0)} ms, ratio ${(Math.min(...cats.covey) / Math.min(...cats.bare)).toFixed(2)} (means ${(mean(cats.covey) / mean(cats.bare)).toFixed(2)})`,
  )
  const sizes = await memory(shells.covey)
  console.log(
    `memory over ${COMMANDS} commands: ${sizes.map((kb) => `${(kb / 1024).toFixed(0)}`).join(' ')} MB`,
  )
  for (const shell of Object.values(shells)) {
    shell.close()
    await shell.ended
  }
}

try {
  await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
