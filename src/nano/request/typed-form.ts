/** A command as it is typed that has a tool of its own: `mkdir -p a/b`, `cp a b`, `cat a`. The tool says what it does, and undoes it; `rm`, which spares folders, stays as it is. Pure. */
import type { Decision } from '../decide.ts'
import type { NanoCall } from '../steps/run.ts'

/** Of the project, and no option. */
const ONE = String.raw`(?![-/~])(?!\S*\.\.)[\w./@+-]*[\w/]`
const PATH = `(?<path>${ONE})`
const FROM_TO = String.raw`(?<from>${ONE})\s+(?<to>${ONE}|\.)`

const FORMS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(String.raw`^mkdir\s+(?:-p\s+)?${PATH}$`), 'make_folder'],
  [new RegExp(String.raw`^cp\s+(?:-[an]+\s+)?${FROM_TO}$`), 'copy_file'],
  [new RegExp(String.raw`^mv\s+(?:-[nv]+\s+)?${FROM_TO}$`), 'move_file'],
  [new RegExp(String.raw`^cat\s+${PATH}$`), 'read_file'],
  [new RegExp(String.raw`^ls\s+${PATH}$`), 'list_files'],
]

/** The same decision, as a call of that tool where there is one. */
export function asTool(decision: Decision, hasTool: (name: string) => boolean): Decision {
  if (!('call' in decision) || decision.call.name !== 'run_command') return decision
  const call = toolFor(String(decision.call.input['command']))
  return call && hasTool(call.name) ? { ...decision, call } : decision
}

function toolFor(command: string): NanoCall | undefined {
  for (const [form, name] of FORMS) {
    const { groups } = form.exec(command.trim()) ?? {}
    if (groups) return { name, input: { ...groups } }
  }
  return undefined
}
