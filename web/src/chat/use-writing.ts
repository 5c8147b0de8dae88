/**
 * What is being written, and what happens with it. A message leaves the box when it is sent and comes back when that
 * failed; its key stays with it until the server has answered or the session tells of it, so that it is never run twice.
 */
import { useEffect, useRef, useState } from 'react'
import { useAction } from '../api/use-remote.ts'
import { toAttached } from './attach.ts'
import { type Attached, cancel, newKey, prompt, type Sent } from './controls.ts'
import { forgetUnanswered, keepUnanswered, readUnanswered, type Unanswered } from './outbox.ts'
import type { SlashCommand } from './slash-commands.ts'

type Props = {
  readonly id: string
  readonly canAct: boolean
  readonly commands: readonly SlashCommand[]
  readonly arrived: ReadonlySet<string>
}

export function useWriting({ id, canAct, commands, arrived }: Props) {
  const [text, setText] = useDraft(id)
  const { attached, setAttached, attach } = useAttached()
  const { isBusy, error, run, isSending, attempt } = useAttempt(text, setText)
  const known = useRef(arrived)
  known.current = arrived
  const clear = (): void => {
    setText('')
    setAttached([])
  }
  const deliver = async (sent: Unanswered): Promise<void> => {
    keepUnanswered(id, { ...sent, isBack: false })
    clear()
    const send = () =>
      prompt(id, sent).catch((failure: unknown) => {
        // The answer is lost, the message is not: the session tells of it.
        if (!known.current.has(sent.key)) throw failure
      })
    if (await attempt(sent.text, send)) return forgetUnanswered(id)
    setAttached(sent.attached)
    keepUnanswered(id, { ...sent, isBack: true })
  }
  const submit = async (): Promise<void> => {
    const said = text.trim()
    if ((said === '' && attached.length === 0) || isSending.current || !canAct) return
    const command = commandOf(said, commands)
    if (!command) return deliver(toSent(id, said, attached))
    clear()
    if (!(await attempt(said, command))) setAttached(attached)
  }
  useUnanswered({ id, text, arrived, setText, clear, send: (sent) => canAct && void deliver(sent) })
  return {
    text,
    setText,
    attached,
    setAttached,
    isBusy,
    error,
    submit: () => void submit(),
    stop: () => void run(() => cancel(id)),
    attach: (dropped: readonly File[]) => void run(() => attach(dropped)),
  }
}

/** One at a time; what failed is back in the box, before what was typed since. */
function useAttempt(text: string, setText: (text: string) => void) {
  const { isBusy, error, run } = useAction()
  const newest = useRef(text)
  newest.current = text
  const isSending = useRef(false)
  const attempt = async (said: string, work: () => Promise<unknown>): Promise<boolean> => {
    if (isSending.current) return false
    isSending.current = true
    const isDone = await run(work).finally(() => (isSending.current = false))
    if (isDone) return true
    const { current: since } = newest
    setText(since === '' || since === said ? said : `${said}\n${since}`)
    return false
  }
  return { isBusy, error, run, isSending, attempt }
}

function useAttached() {
  const [attached, setAttached] = useState<readonly Attached[]>([])
  const attach = async (dropped: readonly File[]): Promise<void> =>
    setAttached([...attached, ...(await Promise.all(dropped.map(toAttached)))])
  return { attached, setAttached, attach }
}

/** The same message as the one that came back keeps its key. */
function toSent(id: string, text: string, attached: readonly Attached[]): Sent {
  const last = readUnanswered(id)
  const isSame =
    last !== undefined && last.text === text && JSON.stringify(last.attached) === JSON.stringify(attached)
  return { key: isSame ? last.key : newKey(), text, attached }
}

type UnansweredParts = {
  readonly id: string
  readonly text: string
  readonly arrived: ReadonlySet<string>
  setText(text: string): void
  clear(): void
  send(sent: Unanswered): void
}

/** After a reload, one that was on its way is sent again. One that arrived after all leaves the box. */
function useUnanswered({ id, text, arrived, setText, clear, send }: UnansweredParts): void {
  useEffect(() => {
    const last = readUnanswered(id)
    if (last && !last.isBack && !arrived.has(last.key)) send(last)
    // Once for each session: later ones are sent by hand.
  }, [id])
  useEffect(() => {
    const last = readUnanswered(id)
    if (!last || !arrived.has(last.key)) return
    forgetUnanswered(id)
    if (text.trim() === last.text) clear()
    else if (text.startsWith(`${last.text}\n`)) setText(text.slice(last.text.length + 1))
  }, [id, arrived, text])
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
    keepDraft(key, next)
  }
  return [text, keep]
}

/** One that is too large for the storage of a tab lives as long as the box. */
function keepDraft(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  } catch {
    sessionStorage.removeItem(key)
  }
}
