/** The first line of a card: whether it is here, what it is called, and what else there is to say in a word. */
import type { ReactNode } from 'react'
import { oneLine } from '../ui/text.ts'

type StateHeaderProps = { isHere: boolean; name: string; tag: string; children?: ReactNode }

export const StateHeader = ({ isHere, name, tag, children }: StateHeaderProps) => (
  <header>
    <span className={`state ${isHere ? 'ok' : 'failed'}`} role="img" aria-label={isHere ? 'here' : 'gone'} />
    <strong>
      <bdi>{oneLine(name)}</bdi>
    </strong>
    <span className="tag">{tag}</span>
    {children}
  </header>
)
