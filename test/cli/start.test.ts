/**
 * What a command loads before it does anything: a person waits for it at every call. Seen from outside, by the scripts
 * that V8 reports for the built program, so that a heavy import is found wherever it was added.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { coveyProcess } from '../support/covey.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

/** One for each command, what they share, and the way in. */
const MOST_FOR_HELP = 50

describe('help loads descriptions and nothing they stand on', () => {
  test.each(['--version', '--help', 'help run'])('covey %s', async (line) => {
    const { own, packages } = await loadedBy(line.split(' '))

    expect(packages).toEqual(['commander'])
    expect(own.length).toBeLessThan(MOST_FOR_HELP)
  })
})

describe('a command loads the packages it needs', () => {
  test.each([
    ['token', ['commander', 'zod']],
    ['config explain offline', ['commander', 'jsonrepair', 'smol-toml', 'zod']],
  ])('covey %s', async (line, wanted) => {
    const { packages } = await loadedBy(line.split(' '))

    expect(packages).toEqual(wanted)
  })
})

test('a run loads no server, no reader of web pages and no engine but that of its arm', async () => {
  const { own, packages } = await loadedBy(['-m', 'scripted:play.jsonl', 'Go.'], {
    'play.jsonl': JSON.stringify({ text: 'Done.' }),
  })

  expect(own).toContain('engine/loop.ts')
  expect(own.filter((path) => /^(?:client|embedded|federation|server)\//.test(path))).toEqual([])
  expect(packages.filter((name) => HEAVY.has(name))).toEqual([])
})

const HEAVY = new Set([
  '@modelcontextprotocol/sdk',
  'fastify',
  'linkedom',
  'node-llama-cpp',
  'prom-client',
  'turndown',
])

type Loaded = {
  /** Paths below src/. */
  readonly own: readonly string[]
  /** Names, each once. */
  readonly packages: readonly string[]
}

async function loadedBy(args: readonly string[], files: Record<string, string> = {}): Promise<Loaded> {
  const cwd = await tempProject(files)
  const coverage = join(cwd, 'coverage')
  const env = { ...(await emptyHome()), NODE_V8_COVERAGE: coverage }
  await coveyProcess(args, { cwd, env })
  return toLoaded(await scriptsIn(coverage))
}

/** A process writes one file for each of its threads. */
async function scriptsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder)
  const reports = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return reports.flatMap((text) => {
    const { result } = JSON.parse(text) as { readonly result: readonly { readonly url: string }[] }
    return result.map(({ url }) => url)
  })
}

/** The built program is some chunks; the map of each lists what it was made from. */
async function modulesOf(url: string): Promise<readonly string[]> {
  if (!url.startsWith('file:')) return []
  const map = await readFile(fileURLToPath(`${url}.map`), 'utf8').catch(() => undefined)
  if (map === undefined) return [url]
  const { sources } = JSON.parse(map) as { readonly sources: readonly string[] }
  return sources.map((source) => new URL(source, url).href)
}

const SOURCES = new URL('../../src/', import.meta.url).href

async function toLoaded(urls: readonly string[]): Promise<Loaded> {
  const modules = (await Promise.all(urls.map(modulesOf))).flat()
  const own = modules.filter((url) => url.startsWith(SOURCES)).map((url) => url.slice(SOURCES.length))
  const packages = modules.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [])
  // Where nothing is built the source is run by these.
  const ours = packages.filter((name) => name !== 'tsx' && name !== 'esbuild')
  return { own: [...new Set(own)], packages: [...new Set(ours)].toSorted() }
}
