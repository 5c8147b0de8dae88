/** What `/help` prints. */
import { bold, dim } from './theme.ts'

const KEYS = `!command       run it yourself; the next message carries its output (!!command: it does not)
@path          put a file into the message (@path:10-20: these lines)
Enter          send; while it works, queue
Shift+Enter    new line (also Alt+Enter, Ctrl+J, \\ and Enter)
Esc            stop the run · Ctrl+C clears the box, then stops, then quits
Esc Esc        go back to an earlier message (on an empty box)
Ctrl+R         search earlier messages · Ctrl+O show what is folded · Ctrl+Z suspend`

type Helped = { readonly name: string; readonly argument?: string; readonly help: string }

export function helpLines(all: readonly Helped[]): readonly string[] {
  const commands = all.map(({ name, argument, help }) => {
    const left = `/${name}${argument === undefined ? '' : ` ${argument}`}`
    return `${bold(left)}${' '.repeat(Math.max(1, 24 - left.length))}${help}`
  })
  return ['', ...commands, '', ...KEYS.split('\n').map(dim)]
}
