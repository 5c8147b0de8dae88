import type { ReactNode } from 'react'
import { clean } from './text.ts'

export const ErrorNote = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <p className="note error" role="alert">
      {clean(text)}
    </p>
  )

/** What to do where there is nothing to see yet. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="empty">
    <p>{title}</p>
    {children}
  </div>
)

/** A line to type in a terminal. */
export const Line = ({ text }: { text: string }) => <code className="line">{text}</code>
