/** The project as it is during one turn, in which nothing of it changes: each folder and file is read once, however many parts ask for it. */
import type { ProjectFiles } from './sources.ts'

export function filesNow(files: ProjectFiles): ProjectFiles {
  return {
    list: remembering((path) => files.list(path)),
    read: remembering((path) => files.read(path)),
    info: remembering((path) => files.info(path)),
  }
}

function remembering<T>(ask: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return (path) => {
    const answer = known.get(path) ?? ask(path)
    known.set(path, answer)
    return answer
  }
}
