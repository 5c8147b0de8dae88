/** What happens in all sessions of the server, as it happens: the last votes, each with the session it belongs to. */
import { useEffect, useState } from 'react'
import type { SessionEvent } from '../../../src/protocol/event.ts'
import type { Activity } from '../../../src/protocol/page.ts'
import { emptyView, type VoteItem } from '../../../src/view/view.ts'
import { takeVote } from '../../../src/view/votes.ts'
import { follow, type Line } from '../api/stream.ts'

export type LiveVote = {
  readonly key: number
  readonly at: number
  readonly sessionId: string
  readonly vote: VoteItem
}

const MOST = 12

export function useVotes(): { readonly votes: readonly LiveVote[]; readonly line: Line } {
  const [votes, setVotes] = useState<readonly LiveVote[]>([])
  const [line, setLine] = useState<Line>({ state: 'connecting' })
  useEffect(() => {
    const stop = new AbortController()
    let last: number | undefined
    void follow({
      path: '/v1/page/activity',
      after: () => last,
      onLine: setLine,
      signal: stop.signal,
      onMessage({ event, data }) {
        if (event !== undefined) return
        const told = JSON.parse(data) as Activity
        if (last !== undefined && told.id <= last) return
        last = told.id
        if (told.event.type === 'vote') setVotes((before) => withVote(before, told, told.event))
      },
    })
    return () => stop.abort()
  }, [])
  return { votes, line }
}

/** The newest first. */
function withVote(votes: readonly LiveVote[], told: Activity, event: SessionEvent): readonly LiveVote[] {
  if (event.type !== 'vote') return votes
  const { id, at, sessionId } = told
  const open = event.stage === 'start' ? undefined : votes.find((one) => one.sessionId === sessionId)
  const view = { ...emptyView, open: { ...emptyView.open, ...(open && { vote: open.vote }) } }
  const { vote } = takeVote(view, event).open
  if (!vote) return votes
  const next = { key: open?.key ?? id, at: open?.at ?? at, sessionId, vote }
  return [next, ...votes.filter((one) => one !== open)].slice(0, MOST)
}
