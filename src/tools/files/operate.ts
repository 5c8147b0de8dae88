/**
 * Making, copying, moving and deleting files and folders, done by a child process: the sandbox holds it as it holds every
 * command, and undo records what it changed. Nothing that exists is ever replaced.
 */
import { posix } from 'node:path'
import { AppError } from '../../protocol/error.ts'
import type { CheckContext, CheckResult, ToolContext, ToolResult } from '../../protocol/tool.ts'

export type Operation =
  | { readonly do: 'make'; readonly path: string }
  | { readonly do: 'copy' | 'move'; readonly from: string; readonly to: string }
  | { readonly do: 'delete'; readonly path: string }

/** Without a shell and the same on every platform. Links are copied as links and deleted as links. */
const PROGRAM = `
const fs = require('node:fs'), path = require('node:path')
const [, kind, one, other] = process.argv
const parent = () => fs.mkdirSync(path.dirname(other), { recursive: true })
const steps = {
  make: () => fs.mkdirSync(one, { recursive: true }),
  copy: () => { parent(); fs.cpSync(one, other, { recursive: true, force: false, errorOnExist: true, verbatimSymlinks: true }) },
  move: () => { parent(); fs.renameSync(one, other) },
  delete: () => fs.rmSync(one, { recursive: true }),
}
try { steps[kind]() } catch (error) { console.log(error.message); process.exit(1) }
`

const LIMIT_MS = 60_000

export async function operate(operation: Operation, context: ToolContext): Promise<ToolResult> {
  const refused = await refusal(operation, context)
  if (refused) return { ok: false, code: 'failed', text: refused }
  const paths = pathsOf(operation)
  const { exitCode, output } = await context.exec.program(
    [process.execPath, '-e', PROGRAM, operation.do, ...paths],
    { timeoutMs: LIMIT_MS, signal: context.signal },
  )
  if (exitCode !== 0)
    return {
      ok: false,
      code: 'failed',
      text: `Nothing was done: ${output.trim() || 'the operation was stopped'}.`,
    }
  return { ok: true, text: done(operation), changed: paths }
}

export async function checkOperation(operation: Operation, context: CheckContext): Promise<CheckResult> {
  const why = await refusal(operation, context)
  return why === undefined ? { ok: true } : { ok: false, why }
}

const pathsOf = (operation: Operation): string[] =>
  'from' in operation ? [plain(operation.from), plain(operation.to)] : [plain(operation.path)]

const plain = (path: string): string => posix.normalize(path).replace(/\/+$/, '') || '.'

async function refusal(operation: Operation, { files }: CheckContext): Promise<string | undefined> {
  const [one = '.', other] = pathsOf(operation)
  const info = await files.info(one)
  if (operation.do === 'make')
    return info && info.kind !== 'folder'
      ? `${one} exists and is not a folder; choose another name.`
      : undefined
  if (one === '.')
    return `The project folder itself cannot be the target of ${operation.do}; name a file or folder in it.`
  if (!info) return `${one} does not exist; list_files shows what is there.`
  if (info.kind === 'folder' && (await hidden(one, { files }))) return holdsHidden(one, operation.do)
  if (other === undefined) return undefined
  if (await files.info(other))
    return `${other} exists and is not replaced; delete it first or choose another name.`
  return other.startsWith(`${one}/`) ? `${other} lies inside ${one}; choose a folder outside it.` : undefined
}

const holdsHidden = (path: string, verb: string): string =>
  `${path} was left alone: it contains hidden files, which are not meant by "${verb}". ` +
  'Name the files one by one, or use run_command.'

const MOST_ENTRIES = 5000

/** Whether something in the folder has a name that begins with a dot: configuration, credentials, a repository. */
async function hidden(path: string, { files }: Pick<CheckContext, 'files'>): Promise<boolean> {
  const folders = [path]
  let count = 0
  for (const folder of folders) {
    const names = await files.list(folder)
    count += names.length
    if (count > MOST_ENTRIES)
      throw new AppError(
        'tool-failed',
        `${path} has more than ${MOST_ENTRIES} entries; use run_command instead.`,
      )
    if (names.some((name) => name.startsWith('.'))) return true
    folders.push(
      ...names.filter((name) => name.endsWith('/')).map((name) => `${folder}/${name.slice(0, -1)}`),
    )
  }
  return false
}

function done(operation: Operation): string {
  const [one = '.', other] = pathsOf(operation)
  if (operation.do === 'make') return `Made the folder ${one}/.`
  if (operation.do === 'delete') return `Deleted ${one}.`
  return `${operation.do === 'copy' ? 'Copied' : 'Moved'} ${one} to ${other}.`
}
