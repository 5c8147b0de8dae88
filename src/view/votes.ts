/** A vote as it goes on: a row for each worker, and in the end who won. */
import type { VoteEvent } from '../protocol/vote.ts'
import type { View, VoteItem, VoteRow } from './view.ts'

export function takeVote(view: View, event: VoteEvent): View {
  const { vote } = view.open
  if (event.stage === 'start') {
    const workers = event.workers.map((worker) => ({ worker }))
    const begun: VoteItem = { kind: 'vote', why: event.why, workers }
    // A vote that began anew replaces the one before it; one that ended stays to be read.
    const items = vote?.report ? [...view.items, vote] : view.items
    return { ...view, items, open: { ...view.open, vote: begun } }
  }
  if (!vote) return view
  const next = event.stage === 'end' ? { ...vote, report: event.report } : withCandidate(vote, event)
  return { ...view, open: { ...view.open, vote: next } }
}

function withCandidate(vote: VoteItem, event: Extract<VoteEvent, { stage: 'candidate' }>): VoteItem {
  const { worker, shows, discarded } = event
  const row: VoteRow = { worker, shows, ...(discarded !== undefined && { discarded }) }
  const isKnown = vote.workers.some((one) => one.worker === worker)
  const workers = isKnown
    ? vote.workers.map((one) => (one.worker === worker ? row : one))
    : [...vote.workers, row]
  return { ...vote, workers }
}
