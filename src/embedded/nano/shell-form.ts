/** Operations on files as one shell command, for clients that have a shell and no tool for them. Pure. */
import type { NanoCall } from './run.ts'

const FORMS: Readonly<Record<string, (argument: (name: string) => string) => string>> = {
  make_folder: (argument) => `mkdir -p ${argument('path')}`,
  copy_file: (argument) => `cp -rn ${argument('from')} ${argument('to')}`,
  move_file: (argument) => `mv -n ${argument('from')} ${argument('to')}`,
  delete_file: (argument) => `rm -r ${argument('path')}`,
}

export const hasCommand = (name: string): boolean => name in FORMS

/** Nothing for a call that no single command stands for. */
export function toCommand({ name, input }: NanoCall): string | undefined {
  const form = FORMS[name]
  return form?.((key) => quoted(String(input[key])))
}

/** A path that begins with a dash is no option. */
function quoted(text: string): string {
  const safe = text.startsWith('-') ? `./${text}` : text
  return /^[\w./:@%+,-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`
}
