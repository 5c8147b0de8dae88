/**
 * How hidden files look to git: contents gone, but name, size and time as they are, so that `git status` says what it
 * says outside. Their stand-ins are made here, and git is told to compare no more than size and time.
 */
import { lstatSync, mkdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { shortHash } from '../../lib/hash.ts'
import { protectionOfName } from '../protected-names.ts'
import type { Facts } from './facts.ts'
import type { TreeState } from './tree.ts'

export type GitView = {
  /** For every file that is hidden, the file that stands in for it. */
  standIns(state: TreeState): ReadonlyMap<string, string>
  readonly environment: Readonly<Record<string, string>>
}

export function createGitView({ folder }: Facts): GitView {
  const place = join(folder, 'stand-ins')
  mkdirSync(place, { recursive: true })
  const made = new Map<string, string>()
  return {
    environment: toVariables({ 'core.checkStat': 'minimal', 'core.trustctime': 'false' }),
    standIns(state) {
      const denied = new Set(state.denied)
      const hidden = state.entries.filter(
        ({ path, kind }) =>
          kind === 'file' &&
          (denied.has(path) || protectionOfName(basename(path), basename(dirname(path))) === 'secret'),
      )
      return new Map(
        hidden.map(({ path, stamp }) => {
          const key = `${path} ${stamp}`
          const standIn = made.get(key) ?? makeStandIn(path, join(place, shortHash(key)))
          made.set(key, standIn)
          return [path, standIn]
        }),
      )
    },
  }
}

/** Settings by environment count more than those of any file. */
function toVariables(settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const pairs = Object.entries(settings)
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(pairs.length)],
    ...pairs.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ])
}

const NOTICE = '# This file may hold secrets and is hidden in the sandbox.\n'
/** Beyond this a stand-in is a file with a hole. */
const MOST_WRITTEN = 65_536

function makeStandIn(path: string, standIn: string): string {
  const info = lstatSync(path, { throwIfNoEntry: false })
  const size = info?.size ?? 0
  const text = NOTICE.slice(0, size).padEnd(Math.min(size, MOST_WRITTEN), '\n')
  writeFileSync(standIn, text)
  truncateSync(standIn, size)
  if (info) utimesSync(standIn, inSeconds(info.atimeMs), inSeconds(info.mtimeMs))
  return standIn
}

/** Never rounded up into the next second, which is what git compares. */
const inSeconds = (ms: number): number => Math.floor(ms) / 1000
