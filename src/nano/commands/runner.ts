/** What runs a file of the project, and a file that is called by its name alone as the command that runs it. Pure. */
import { runners } from '../request/words.ts'
import { SCRIPT } from './programs.ts'
import type { PathProject } from '../paths/project.ts'

const MORE: ReadonlyMap<string, string> = new Map([
  ['R', 'Rscript'],
  ['ps1', 'pwsh'],
])

/** As the project itself starts it: `python` where that is what its texts say. */
export function runnerOf(path: string, project?: PathProject): string | undefined {
  const ending = /\.(\w+)$/.exec(path)?.[1] ?? ''
  const runner = runners.get(ending) ?? MORE.get(ending)
  return runner === 'python3' && project !== undefined && saysPython(project) ? 'python' : runner
}

const kept = new WeakMap<PathProject, boolean>()

function saysPython(project: PathProject): boolean {
  const found = kept.get(project) ?? readPython(project)
  kept.set(project, found)
  return found
}

function readPython({ texts }: PathProject): boolean {
  const counts = { python: 0, python3: 0 }
  for (const text of texts.values())
    for (const [, name] of text.matchAll(/(?<![\w/])(python3?) (?:-m |[\w./-]+\.py\b)/g))
      counts[name === 'python' ? 'python' : 'python3']++
  return counts.python > counts.python3
}

/** `backup.sh etc` is `bash bin/backup.sh etc` where that is the only one of its name; nothing where no file is called. */
export function withRunner(command: string, project: PathProject): string | undefined {
  const [, called = '', rest = ''] = /^(?:\.\/)?(\S+)([\s\S]*)$/.exec(command) ?? []
  if (!SCRIPT.test(called)) return undefined
  const exact = project.files.filter((path) => path === called)
  const files = exact.length > 0 ? exact : project.files.filter((path) => path.endsWith(`/${called}`))
  const [path] = files
  const runner = path === undefined ? undefined : runnerOf(path, project)
  return runner === undefined || files.length > 1 ? undefined : `${runner} ${path}${rest}`
}
