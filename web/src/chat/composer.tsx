/** The box to write in: sends, queues, stops; completes `@file` and `/command`; takes files that are dropped on it. */
import {
  type ChangeEvent,
  type DragEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import { useAction } from '../api/use-remote.ts'
import { ErrorNote } from '../ui/note.tsx'
import { clean } from '../ui/text.ts'
import { toAttached } from './attach.ts'
import { Completions } from './completions.tsx'
import { type Attached, cancel, prompt } from './controls.ts'
import type { SlashCommand } from './slash-commands.ts'
import { useCompletion } from './use-completion.ts'

type Props = {
  readonly id: string
  readonly isRunning: boolean
  readonly canAct: boolean
  readonly commands: readonly SlashCommand[]
}

export function Composer({ id, isRunning, canAct, commands }: Props) {
  const box = useRef<HTMLTextAreaElement>(null)
  const writing = useWriting({ id, canAct, commands })
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

/** What is being written, and what happens with it. */
function useWriting({ id, canAct, commands }: Omit<Props, 'isRunning'>) {
  const [text, setText] = useDraft(id)
  const [attached, setAttached] = useState<readonly Attached[]>([])
  const { isBusy, error, run } = useAction()
  const send = async (): Promise<void> => {
    const said = text.trim()
    if ((said === '' && attached.length === 0) || isBusy || !canAct) return
    const command = commandOf(said, commands)
    setText('')
    setAttached([])
    const isDone = await run(() => command?.() ?? prompt(id, said, attached))
    if (isDone) return
    setText(said)
    setAttached(attached)
  }
  return {
    text,
    setText,
    attached,
    setAttached,
    isBusy,
    error,
    submit: () => void send(),
    stop: () => void run(() => cancel(id)),
    attach: (dropped: readonly File[]) =>
      void run(async () => setAttached([...attached, ...(await Promise.all(dropped.map(toAttached)))])),
  }
}

const commandOf = (said: string, commands: readonly SlashCommand[]): SlashCommand['run'] =>
  commands.find(({ name, run }) => run !== undefined && said === `/${name}`)?.run

/** What was typed and not sent survives a reload. */
function useDraft(id: string): readonly [string, (text: string) => void] {
  const key = `covey-draft-${id}`
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  useEffect(() => setText(sessionStorage.getItem(key) ?? ''), [key])
  const keep = (next: string): void => {
    setText(next)
    if (next === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, next)
  }
  return [text, keep]
}

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
