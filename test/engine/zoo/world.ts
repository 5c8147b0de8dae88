/** Just enough of the tools to make traces: a real folder, real commands, results like those of the real ones. */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { preflightPath, type Project } from '../../../src/engine/preflight.ts'
import type { FailureCode } from '../../../src/protocol/error.ts'
import type { Call } from './zoo.ts'

type Result = {
  readonly text: string
  readonly code?: FailureCode
  readonly wrote?: boolean
  readonly path?: string
}

export type World = {
  run(call: Call, mayOverwrite: (path: string) => boolean): Promise<Result>
  has(path: string): boolean
  close(): void
}

const PAGE = 200
const needed: { readonly [name: string]: readonly string[] } = {
  list_files: ['path'],
  read_file: ['path'],
  search_text: ['pattern'],
  edit_file: ['path', 'old', 'new'],
  write_file: ['path', 'content'],
  run_command: ['command'],
  job_output: ['id'],
}

export const toolNames = Object.keys(needed)

export function createWorld(files: { readonly [path: string]: string }): World {
  const root = mkdtempSync(join(tmpdir(), 'zoo-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const project = projectAt(root)
  const jobs = new Map<string, number>()
  let last: { readonly command: string; readonly result: Result } | undefined
  /** A model that goes in circles runs one command many times; while no file changes, it prints the same. */
  const runAgain = (input: Call['input']): Result => {
    const command = String(input['command'])
    if (input['background'] === true || command.includes('>')) return runCommand(root, input, jobs)
    if (last?.command !== command) last = { command, result: runCommand(root, input, jobs) }
    return last.result
  }

  return {
    async run({ name, input }, mayOverwrite) {
      const parameters = needed[name]
      if (!parameters) return { text: `There is no tool "${name}".`, code: 'unknown-tool' }
      const absent = parameters.find((parameter) => input[parameter] === undefined)
      if (absent) return { text: `${name}: argument "${absent}" is missing`, code: 'bad-arguments' }
      if (name === 'run_command') return runAgain(input)
      last = undefined
      if (name === 'job_output') return jobOutput(String(input['id']), jobs)
      if (name === 'search_text') return searchText(root, String(input['pattern']))
      const placed = await preflightPath(String(input['path']), project, { creates: name === 'write_file' })
      if ('missing' in placed)
        return { text: placed.missing, code: 'missing-path', path: String(input['path']) }
      const { path } = placed
      const change = { root, path, input, mayOverwrite: mayOverwrite(path) }
      return { path, ...onFile(name, change) }
    },
    has: (path) => existsSync(join(root, path)),
    close: () => rmSync(root, { recursive: true, force: true }),
  }
}

function projectAt(root: string): Project {
  return {
    root,
    list: async (path) =>
      readdirSync(join(root, path), { withFileTypes: true })
        .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
        .toSorted(),
    async info(path) {
      const found = statSync(join(root, path), { throwIfNoEntry: false })
      return found && { kind: found.isFile() ? 'file' : 'folder', bytes: found.size, mode: found.mode }
    },
  }
}

type OnFile = {
  readonly root: string
  readonly path: string
  readonly input: Call['input']
  readonly mayOverwrite: boolean
}

function onFile(name: string, { root, path, input, mayOverwrite }: OnFile): Result {
  const full = join(root, path)
  if (name === 'list_files') return { text: readdirSync(full).toSorted().join('\n') }
  if (name === 'write_file') {
    const isThere = statSync(full, { throwIfNoEntry: false }) !== undefined
    if (isThere && input['overwrite'] !== true && !mayOverwrite) {
      return { text: `${path} exists; edit it, or set overwrite.`, code: 'failed' }
    }
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, String(input['content']))
    return { text: `wrote ${path}`, wrote: true }
  }
  const text = readFileSync(full, 'utf8')
  if (name === 'read_file') {
    const from = Number(input['from'] ?? 1)
    const page = text.split('\n').slice(from - 1, from - 1 + PAGE)
    return { text: page.map((line, index) => `${from + index}\t${line}`).join('\n') }
  }
  const old = String(input['old'])
  if (text.split(old).length !== 2)
    return { text: `"${old}" is not in ${path} exactly once.`, code: 'no-match' }
  writeFileSync(
    full,
    text.replace(old, () => String(input['new'])),
  )
  return { text: `edited ${path}: ${old} -> ${String(input['new'])}`, wrote: true }
}

function searchText(root: string, pattern: string): Result {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(root, path)).isFile(),
  )
  const found = files.flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.includes(pattern) ? [`./${path}:${index + 1}:${line}\n`] : [])),
  )
  return { text: found.length === 0 ? 'No matches.' : found.join('') }
}

function runCommand(root: string, input: Call['input'], jobs: Map<string, number>): Result {
  if (input['background'] === true) {
    jobs.set(`job-${jobs.size + 1}`, 0)
    return { text: `started job-${jobs.size}` }
  }
  const { stdout, stderr, status } = spawnSync('sh', ['-c', String(input['command'])], {
    cwd: root,
    encoding: 'utf8',
  })
  const text = `${stdout}${stderr}[exit ${status}]`
  return status === 0 ? { text } : { text, code: 'exit-code' }
}

/** A job that prints a line between one poll and the next. */
function jobOutput(id: string, jobs: Map<string, number>): Result {
  const polls = jobs.get(id)
  if (polls === undefined) return { text: `There is no job ${id}.`, code: 'failed' }
  jobs.set(id, polls + 1)
  return { text: `${id} running: built part ${polls}` }
}
