const WORDS = { running: 'running', ok: 'done', failed: 'failed' } as const

export const State = ({ state }: { state: keyof typeof WORDS }) => (
  <span className={`state ${state}`} role="img" aria-label={WORDS[state]} title={WORDS[state]} />
)
