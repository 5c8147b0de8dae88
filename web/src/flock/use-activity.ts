/** What happens on the server, as it happens: the last votes, each with the session or the request it belongs to. */
import { useEffect, useState } from 'react'
import type { Activity, ActivitySource } from '../../../src/protocol/page.ts'
import type { VoteEvent } from '../../../src/protocol/vote.ts'
import { emptyView, type VoteItem } from '../../../src/view/view.ts'
import { takeVote } from '../../../src/view/votes.ts'
import { follow, type Line } from '../api/stream.ts'

export type LiveVote = {
  readonly key: number
  readonly at: number
  readonly source: ActivitySource
  readonly vote: VoteItem
  /** It ended before there was a result. */
  readonly isBroken: boolean
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
        setVotes((before) => votesAfter(before, told))
      },
    })
    return () => stop.abort()
  }, [])
  return { votes, line }
}

/** The newest first. */
export function votesAfter(votes: readonly LiveVote[], told: Activity): readonly LiveVote[] {
  const { event, source } = told
  if (event.type === 'vote') return withVote(votes, told, event)
  if (event.type !== 'run-end' && event.type !== 'request-end') return votes
  return votes.map((one) =>
    one.source.id === source.id && !one.vote.report ? { ...one, isBroken: true } : one,
  )
}

function withVote(votes: readonly LiveVote[], { id, at, source }: Activity, event: VoteEvent) {
  const open = event.stage === 'start' ? undefined : votes.find((one) => one.source.id === source.id)
  const view = { ...emptyView, open: { ...emptyView.open, ...(open && { vote: open.vote }) } }
  const { vote } = takeVote(view, event).open
  if (!vote) return votes
  const next = { key: open?.key ?? id, at: open?.at ?? at, source, vote, isBroken: false }
  return [next, ...votes.filter((one) => one !== open)].slice(0, MOST)
}
