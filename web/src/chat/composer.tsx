/** The box to write in: sends, queues, stops; completes `@file` and `/command`; takes files that are dropped on it. */
import {
  type ChangeEvent,
  type DragEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useRef,
} from 'react'
import { ErrorNote } from '../ui/note.tsx'
import { clean } from '../ui/text.ts'
import { Completions } from './completions.tsx'
import type { Attached } from './controls.ts'
import type { SlashCommand } from './slash-commands.ts'
import { useCompletion } from './use-completion.ts'
import { useWriting } from './use-writing.ts'

type Props = {
  readonly id: string
  readonly isRunning: boolean
  readonly canAct: boolean
  readonly commands: readonly SlashCommand[]
  /** Keys of messages that the session has. */
  readonly arrived: ReadonlySet<string>
}

export function Composer({ id, isRunning, canAct, commands, arrived }: Props) {
  const box = useRef<HTMLTextAreaElement>(null)
  const writing = useWriting({ id, canAct, commands, arrived })
  const { text, setText, attached, setAttached, error, isBusy, submit, stop, attach } = writing
  const completion = useCompletion({ id, text, box, commands, setText })
  useGrowing(box, text)
  const onKey = (event: KeyboardEvent): void => {
    if (completion.onKey(event)) return
    if (event.key === 'Escape' && isRunning) stop()
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  const onDrop = (event: DragEvent): void => {
    event.preventDefault()
    attach([...event.dataTransfer.files])
  }
  return (
    <div className="composer" onDrop={onDrop} onDragOver={(event) => event.preventDefault()}>
      <ErrorNote text={error} />
      <AttachedList
        attached={attached}
        onRemove={(gone) => setAttached(attached.filter((one) => one !== gone))}
      />
      <Completions completion={completion} />
      <div className="box">
        <textarea
          ref={box}
          rows={1}
          value={text}
          disabled={!canAct}
          placeholder={canAct ? 'Ask, or / for commands, @ for files' : READ_ONLY}
          aria-label="Message"
          {...completion.aria}
          onChange={(event: ChangeEvent<HTMLTextAreaElement>) => setText(event.target.value)}
          onSelect={completion.look}
          onKeyDown={onKey}
        />
        {isRunning && (
          <button type="button" onClick={stop} disabled={!canAct} title="Esc">
            Stop
          </button>
        )}
        <button type="button" className="primary" onClick={submit} disabled={!canAct || isBusy}>
          {isRunning ? 'Queue' : 'Send'}
        </button>
      </div>
    </div>
  )
}

const READ_ONLY = 'This token may look, but not act (scope `tools`)'

function useGrowing(box: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useEffect(() => {
    const { current } = box
    if (!current) return
    current.style.height = 'auto'
    current.style.height = `${Math.min(current.scrollHeight, 240)}px`
  }, [box, text])
}

function AttachedList({
  attached,
  onRemove,
}: {
  attached: readonly Attached[]
  onRemove(gone: Attached): void
}) {
  if (attached.length === 0) return null
  return (
    <ul className="attached" aria-label="Attached files">
      {attached.map((one, index) => (
        <li key={index}>
          <bdi>{clean(one.name)}</bdi>
          <button
            type="button"
            className="quiet"
            aria-label={`Remove ${clean(one.name)}`}
            onClick={() => onRemove(one)}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  )
}
