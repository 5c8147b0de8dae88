/**
 * Which shell is started, and how: its own files are read as always, ours comes after them, for this process only. The files
 * for it lie in a private folder that is removed when the shell has ended.
 */
import { execFileSync } from 'node:child_process'
import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { bashInit } from './init/bash.ts'
import { fishInit } from './init/fish.ts'
import type { InitParts } from './init/parts.ts'
import { zshInit } from './init/zsh.ts'

export type ShellName = 'bash' | 'zsh' | 'fish'

export type ShellChoice =
  | { readonly name: ShellName; readonly path: string }
  /** It has no line editor to work with: line by line, over `sh`. */
  | { readonly name: 'plain'; readonly why: string }

export function chooseShell(env: NodeJS.ProcessEnv): ShellChoice {
  if (process.platform === 'win32') return { name: 'plain', why: 'this system has no pty' }
  if (!env['TERM'] || env['TERM'] === 'dumb') return { name: 'plain', why: 'the terminal draws nothing' }
  const path = env['SHELL'] || '/bin/sh'
  const name = basename(path)
  if (name !== 'bash' && name !== 'zsh' && name !== 'fish')
    return { name: 'plain', why: `${name} has no line editor that Covey knows` }
  if (!isExecutable(path)) return { name: 'plain', why: `${path} cannot be run` }
  if (name === 'bash' && !isRecentBash(path)) return { name: 'plain', why: 'bash is older than 4.4' }
  return { name, path }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function isRecentBash(path: string): boolean {
  try {
    const said = execFileSync(path, ['--norc', '-c', 'echo "${BASH_VERSINFO[0]} ${BASH_VERSINFO[1]}"'], {
      encoding: 'utf8',
      // bash takes a socket as its input for a remote login, and reads the files of one.
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 10_000,
      env: {},
    })
    const [major = 0, minor = 0] = said.trim().split(' ').map(Number)
    return major > 4 || (major === 4 && minor >= 4)
  } catch {
    return false
  }
}

export type Launch = {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Writes the init file and says how to start. */
export function prepareLaunch(
  { name, path }: Extract<ShellChoice, { path: string }>,
  folder: string,
  parts: InitParts,
  given: NodeJS.ProcessEnv,
): Launch {
  const env = Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
  const file = (where: string, text: string): string => {
    writeFileSync(where, text, { mode: 0o600 })
    return where
  }
  switch (name) {
    case 'bash':
      return { file: path, args: ['--rcfile', file(join(folder, 'init.bash'), bashInit(parts)), '-i'], env }
    case 'zsh': {
      const dot = join(folder, 'zsh')
      mkdirSync(dot, { mode: 0o700 })
      file(join(dot, '.zshenv'), zshInit(parts))
      const own = env['ZDOTDIR'] === undefined ? {} : { COVEY_ZDOTDIR: env['ZDOTDIR'] }
      return { file: path, args: ['-l', '-i'], env: { ...env, ...own, ZDOTDIR: dot } }
    }
    case 'fish': {
      const init = file(join(folder, 'init.fish'), fishInit(parts))
      return { file: path, args: ['-l', '-i', '-C', `source ${init}`], env }
    }
  }
}
