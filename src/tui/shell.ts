/** `!command`: live output below the conversation, or the whole terminal for a program that wants one. */
import { spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { makeTempFolder } from '../lib/temp-folder.ts'
import type { ShellEnd } from './talk.ts'

const MAX_KEPT = 64_000

/** A pty from `script`, so that what is printed can be kept; without that program the terminal itself. */
export async function runInTerminal(command: string, cwd: string): Promise<ShellEnd> {
  const folder = makeTempFolder('shell')
  try {
    const log = join(folder, 'typescript')
    const exitCode =
      (await runProgram(scriptArgv(command, log), cwd)) ?? (await runProgram(['/bin/sh', '-c', command], cwd))
    const text = await readFile(log, 'utf8').catch(() => '')
    return { exitCode: exitCode ?? undefined, output: plainText(text) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A shell on this terminal, until the person leaves it. */
export async function openPersonShell(argv: readonly string[], cwd: string): Promise<void> {
  if ((await runProgram(argv, cwd)) === undefined) await runProgram(['/bin/sh'], cwd)
}

const scriptArgv = (command: string, log: string): readonly string[] =>
  process.platform === 'linux'
    ? ['script', '-qefc', command, log]
    : ['script', '-q', log, '/bin/sh', '-c', command]

/** A program on this terminal. Nothing where it is not there. */
export function runProgram(
  [program = '', ...args]: readonly string[],
  cwd: string,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, stdio: 'inherit' })
    child.on('error', () => resolve(undefined))
    child.on('close', (code, signal) => resolve(code ?? (signal === null ? 1 : 130)))
  })
}

/** What a model can use of it: the words, without what steered the terminal. */
const plainText = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/^Script (?:started|done).*$/gm, '')
    .replaceAll('\r', '')
    .trim()
    .slice(-MAX_KEPT)
