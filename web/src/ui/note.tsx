import type { ReactNode } from 'react'
import { clean } from './text.ts'

export const ErrorNote = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <p className="note error" role="alert">
      <Words text={text} />
    </p>
  )

/** Text in which backticks mark what is typed. */
export const Words = ({ text }: { text: string }) =>
  clean(text)
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))

/** What to do where there is nothing to see yet. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="empty">
    <p>
      <Words text={title} />
    </p>
    {children}
  </div>
)

/** A line to type in a terminal. */
export const Line = ({ text }: { text: string }) => <code className="line">{text}</code>
