/** A project with undo over it, driven as a session drives it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createExec } from '../../src/guard/exec.ts'
import { createFiles } from '../../src/guard/paths/files.ts'
import { listProject } from '../../src/lib/list-project.ts'
import type { Exec, Files } from '../../src/protocol/tool.ts'
import { type OpenUndo, openUndo, type UndoParts } from '../../src/undo/undo.ts'
import { tempProject } from '../support/project.ts'

const NEVER = new AbortController().signal

type Bench = {
  readonly root: string
  readonly session: string
  readonly undo: OpenUndo
  readonly files: Files
  readonly exec: Exec
  run(runId: string, act: (world: { files: Files; exec: Exec }) => Promise<unknown>): Promise<void>
  read(path: string): Promise<string | undefined>
  shell(command: string): Promise<void>
}

export async function open(
  initial: Record<string, string>,
  parts: Partial<UndoParts> & { readonly inMemory?: boolean; readonly session?: string } = {},
): Promise<Bench> {
  const root = await tempProject(initial)
  const session = parts.session ?? (await mkdtemp(join(tmpdir(), 'covey-undo-')))
  onTestFinished(() => rm(session, { recursive: true, force: true }))
  return openIn(root, session, parts)
}

export async function openIn(
  root: string,
  session: string,
  { inMemory, ...parts }: Partial<UndoParts> & { readonly inMemory?: boolean } = {},
): Promise<Bench> {
  const raw = { files: createFiles({ root }), exec: createExec({ cwd: root, env: process.env }) }
  onTestFinished(() => raw.exec.close())
  const undo = await openUndo({
    root,
    list: async (signal) => (await listProject(raw, signal)).paths,
    isKept: (path) => path !== '.env',
    isHarmless: async (command) => command.startsWith('cat '),
    place: async (path) => join(root, path),
    ...(inMemory ? {} : { folders: { session, contents: join(session, 'contents') } }),
    ...parts,
  })
  onTestFinished(() => undo.close())
  const [files, exec] = [undo.files(raw.files), undo.exec(raw.exec)]
  return {
    root,
    session,
    undo,
    files,
    exec,
    async run(runId, act) {
      await undo.begin({ runId, at: 1, prompt: `do ${runId}` })
      await act({ files, exec })
      await undo.end()
    },
    read: (path) => readFile(join(root, path), 'utf8').catch(() => undefined),
    async shell(command) {
      const { exitCode, output } = await exec.shell(command, { timeoutMs: 10_000, signal: NEVER })
      expect({ exitCode, output }).toMatchObject({ exitCode: 0 })
    },
  }
}
