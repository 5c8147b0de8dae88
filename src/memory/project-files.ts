/**
 * The files of a project as the index may see them. Listing goes through the guard's exec and blind to what git ignores,
 * reading through the guard's files: what no tool may read cannot get into the index.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listProject, type ProjectList } from '../lib/list-project.ts'
import type { Exec, Files } from '../protocol/tool.ts'

export type Stamp = { readonly mtimeMs: number; readonly bytes: number }

export interface ProjectFiles {
  list(signal: AbortSignal): Promise<ProjectList>
  /** Throws for what may not or cannot be read as text. */
  read(path: string, signal: AbortSignal): Promise<string>
  stamp(path: string): Promise<Stamp | undefined>
}

type Reach = { readonly files: Pick<Files, 'root' | 'read' | 'list'>; readonly exec: Pick<Exec, 'program'> }

export const projectFiles = ({ files, exec }: Reach): ProjectFiles => ({
  list: (signal) => listProject({ files, exec }, signal),
  read: (path, signal) => files.read(path, signal),
  async stamp(path) {
    const info = await stat(join(files.root, path)).catch(() => undefined)
    return info?.isFile() ? { mtimeMs: info.mtimeMs, bytes: info.size } : undefined
  },
})
