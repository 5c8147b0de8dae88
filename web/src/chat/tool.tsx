/** A call: what it is, what it prints while it runs, what came of it. Folded where the outcome speaks for itself. */
import { memo, useState } from 'react'
import type { ToolItem } from '../../../src/view/view.ts'
import { State } from '../ui/state.tsx'
import { clean, oneLine, seconds } from '../ui/text.ts'
import { Diff } from './diff.tsx'

/** What the model read is long and of no interest to the user; what a command printed is. */
const QUIET = /^(?:read_|list_|find_|search_|recall|select_|more_tools|view_|system_info)/
const MOST_LINES = 12

export const Tool = memo(function Tool({ tool }: { tool: ToolItem }) {
  const { title, state, diff, ms, name } = tool
  const isQuiet = state === 'ok' && (diff.length > 0 || QUIET.test(name))
  const [isOpen, setOpen] = useState<boolean>()
  const isShown = isOpen ?? !isQuiet
  const output = outputOf(tool)
  return (
    <section className={`tool ${state}`} aria-label={`Call of ${oneLine(name)}`}>
      <header>
        <State state={state} />
        <code className="title">{oneLine(title)}</code>
        {ms !== undefined && ms >= 100 && <span className="faint">{seconds(ms)}</span>}
        {output !== '' && (
          <button type="button" className="quiet" aria-expanded={isShown} onClick={() => setOpen(!isShown)}>
            {isShown ? 'Hide' : 'Output'}
          </button>
        )}
      </header>
      {state !== 'failed' && diff.map((file) => <Diff key={file.path} diff={file} />)}
      {isShown && output !== '' && <Output text={output} isWhole={isOpen === true} />}
    </section>
  )
})

function outputOf({ state, code, answer, text = '', tail }: ToolItem): string {
  if (state === 'running') return tail.trimEnd()
  if (state === 'failed' && code === 'denied')
    return `Not allowed: ${answer?.allow === false ? (answer.reason ?? 'you said no') : text}`
  return text.trimEnd()
}

/** The end of it is what counts while it runs and after it failed. */
function Output({ text, isWhole }: { text: string; isWhole: boolean }) {
  const lines = clean(text).split('\n')
  const shown = isWhole ? lines : lines.slice(-MOST_LINES)
  const left = lines.length - shown.length
  return (
    <pre className="output" tabIndex={0} aria-label="Output">
      {left > 0 && (
        <span className="faint">
          … {left} lines before{'\n'}
        </span>
      )}
      {shown.join('\n')}
    </pre>
  )
}
