/** The chat: sessions on the left, the conversation and the box to write in on the right. */
import { useEffect, useMemo, useState } from 'react'
import { useAccess } from '../access.ts'
import { useAction, useRemote } from '../api/use-remote.ts'
import { go } from '../route.ts'
import { Empty, ErrorNote, Line } from '../ui/note.tsx'
import { oneLine } from '../ui/text.ts'
import { Composer } from './composer.tsx'
import { answer, compact, createSession, download, fork, newKey, prompt, restore } from './controls.ts'
import { ItemRow, Note } from './items.tsx'
import { LiveTurn } from './live.tsx'
import { QuestionCard } from './question.tsx'
import { SessionList } from './session-list.tsx'
import type { SessionStore, Snapshot } from './session-store.ts'
import type { SlashCommand } from './slash-commands.ts'
import { describe, StatusBar } from './status.tsx'
import { useSession } from './use-session.ts'
import { VirtualList } from './virtual-list.tsx'

export function ChatPage({ id }: { id: string | undefined }) {
  const access = useAccess()
  const [isListOpen, setListOpen] = useState(false)
  const [stamp, setStamp] = useState('')
  useEffect(() => setListOpen(false), [id])
  return (
    <div className={isListOpen ? 'chat list-open' : 'chat'}>
      <SessionList
        current={id}
        canAct={access.has('tools')}
        stamp={stamp}
        open={(next) => go(next === undefined ? '/chat' : `/chat/${next}`)}
      />
      <main className="conversation" id="main">
        <button
          type="button"
          className="list-toggle"
          aria-expanded={isListOpen}
          onClick={() => setListOpen(!isListOpen)}
        >
          Sessions
        </button>
        {id === undefined ? <Welcome /> : <Conversation key={id} id={id} onChange={setStamp} />}
      </main>
    </div>
  )
}

const EXAMPLES = [
  'What is in this folder?',
  'Run the tests and explain what fails.',
  'Write a README for this project.',
]

function Welcome() {
  const access = useAccess()
  const { error, isBusy, run } = useAction()
  const begin = (text: string) =>
    void run(async () => {
      const id = await createSession()
      await prompt(id, { key: newKey(), text, attached: [] })
      go(`/chat/${id}`)
    })
  return (
    <div className="welcome">
      <h1>What shall be done?</h1>
      <p className="faint">{oneLine(access.about.workspace)}</p>
      <div className="choices">
        {EXAMPLES.map((text) => (
          <button
            key={text}
            type="button"
            disabled={isBusy || !access.has('tools')}
            onClick={() => begin(text)}
          >
            {text}
          </button>
        ))}
      </div>
      <p className="faint">Or press New for an empty session, or open an earlier one.</p>
      <ErrorNote text={error} />
    </div>
  )
}

function Conversation({ id, onChange }: { id: string; onChange(stamp: string): void }) {
  const access = useAccess()
  const snapshot = useSession(id)
  const [said, setSaid] = useState<string>()
  const { error, run } = useAction()
  const runId = snapshot?.view.run?.runId
  useEffect(() => onChange(`${id} ${runId}`), [onChange, id, runId])
  const commands = useCommands(id, setSaid)
  if (!snapshot?.isLoaded) return <Opening snapshot={snapshot} />
  const { view, line } = snapshot
  const [question] = view.questions
  return (
    <>
      <Log snapshot={snapshot} />
      <div className="foot">
        <ErrorNote text={error} />
        {said !== undefined && <Note level="info" text={said} />}
        {question && (
          <QuestionCard
            key={question.askId}
            question={question}
            waiting={view.questions.length - 1}
            isAllowed={access.has('approve')}
            answer={(askId, given) => void run(() => answer(id, askId, given))}
          />
        )}
        <Composer
          id={id}
          isRunning={view.run !== undefined}
          canAct={access.has('tools')}
          commands={commands}
          arrived={snapshot.arrived}
        />
        <StatusBar id={id} view={view} line={line} access={access} say={setSaid} />
      </div>
      <Announcer snapshot={snapshot} />
    </>
  )
}

function Opening({ snapshot }: { snapshot: Snapshot | undefined }) {
  const line = snapshot?.line
  if (line?.state !== 'refused' && line?.state !== 'lost') return <p className="opening faint">Opening…</p>
  return (
    <Empty title={oneLine(line.why)}>
      {line.state === 'refused' && <p className="faint">Choose another session, or press New.</p>}
    </Empty>
  )
}

function Log({ snapshot: { view, past } }: { snapshot: Snapshot }) {
  const { items } = view
  const count = past.length + items.length
  const isEmpty = count === 0 && !view.run && view.queue.length === 0
  if (isEmpty)
    return (
      <div className="log-frame">
        <Empty title="Nothing was said here yet.">
          <p className="faint">
            Ask below. <Line text="@path" /> puts a file into the message, <Line text="/" /> lists commands.
          </p>
        </Empty>
      </div>
    )
  return (
    <VirtualList
      label="Conversation"
      count={count}
      generation={past.length}
      row={(index) => {
        const item = past[index] ?? items[index - past.length]
        return item && <ItemRow item={item} />
      }}
      tail={<LiveTurn view={view} />}
    />
  )
}

/** For those who hear the page: what begins, ends or asks, not every word. */
function Announcer({ snapshot: { view } }: { snapshot: Snapshot }) {
  const text = view.questions.length > 0 ? 'A question waits for you.' : view.run ? 'Working.' : 'Ready.'
  return (
    <p className="unseen" role="status">
      {text}
    </p>
  )
}

type Skills = {
  readonly entries: readonly { readonly name: string; readonly kind: string; readonly description: string }[]
}

function useCommands(id: SessionStore['id'], say: (text: string) => void): readonly SlashCommand[] {
  const skills = useRemote<Skills>('/v1/page/skills').value?.entries
  return useMemo(
    () => [
      {
        name: 'new',
        help: 'begin another conversation',
        run: async () => go(`/chat/${await createSession()}`),
      },
      { name: 'fork', help: 'go on in a copy', run: async () => go(`/chat/${await fork(id)}`) },
      { name: 'compact', help: 'shorten the conversation now', run: () => compact(id) },
      {
        name: 'undo',
        help: 'take back what the last run did',
        run: async () => say(describe('undo', await restore(id, 'undo'))),
      },
      {
        name: 'redo',
        help: 'do again what was undone',
        run: async () => say(describe('redo', await restore(id, 'redo'))),
      },
      { name: 'export', help: 'save this conversation', run: () => download(id, 'md') },
      ...(skills ?? [])
        .filter(({ kind }) => kind === 'skill')
        .map(({ name, description }) => ({ name, help: description })),
    ],
    [id, say, skills],
  )
}
