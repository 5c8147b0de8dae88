/**
 * What a command loads before it does anything: a person waits for it at every call. Seen from outside, by the functions
 * that V8 reports to have run, so that a heavy import is found wherever it was added: in the built program each module is a
 * function with its path for a name.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { coveyProcess } from '../support/covey.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

/** One for each command, what they share, and the way in. */
const MOST_FOR_HELP = 50

describe('help loads descriptions and nothing they stand on', () => {
  test.each(['--version', '--help', 'help run'])('covey %s', async (line) => {
    const { own, packages } = await loadedBy(line.split(' '))

    expect(packages.filter((name) => name !== 'commander')).toEqual([])
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

type Script = {
  readonly url: string
  readonly functions: readonly {
    readonly functionName: string
    readonly ranges: readonly { readonly count: number }[]
  }[]
}

/** A process writes one file for each of its threads. */
async function scriptsIn(folder: string): Promise<readonly Script[]> {
  const names = await readdir(folder)
  const reports = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return reports.flatMap((text) => (JSON.parse(text) as { readonly result: readonly Script[] }).result)
}

const ROOT = new URL('../../', import.meta.url).href

/** Paths from the root of the package. */
function modulesOf({ url, functions }: Script): readonly string[] {
  if (!url.startsWith(ROOT)) return []
  if (!url.endsWith('/program.cjs')) return [url.slice(ROOT.length)]
  return functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => functionName)
}

function toLoaded(scripts: readonly Script[]): Loaded {
  const modules = scripts.flatMap(modulesOf)
  const own = modules.filter((path) => /^src\/.*\.ts$/.test(path)).map((path) => path.slice('src/'.length))
  const packages = modules.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])
  // Where nothing is built the source is run by these.
  const ours = packages.filter((name) => name !== 'tsx' && name !== 'esbuild')
  return { own: [...new Set(own)], packages: [...new Set(ours)].toSorted() }
}
