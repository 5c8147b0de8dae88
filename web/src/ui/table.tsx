/**
 * A table; where the page is narrow each row becomes a card, and each cell says the name of its column. A column of
 * numbers has a `#` before its name.
 */
import { type ReactNode, useEffect, useRef } from 'react'

export function Table({
  head,
  label,
  children,
}: {
  head: readonly string[]
  label: string
  children: ReactNode
}) {
  const body = useRef<HTMLTableSectionElement>(null)
  useEffect(() => {
    for (const row of body.current?.rows ?? [])
      Array.from(row.cells).forEach((cell, index) => (cell.dataset['label'] = nameOf(head[index])))
  })
  return (
    <div className="table" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((text, index) => (
              <th key={index} scope="col" className={text.startsWith('#') ? 'count' : ''}>
                {text === '' ? <span className="unseen">Actions</span> : nameOf(text)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>{children}</tbody>
      </table>
    </div>
  )
}

const nameOf = (head = ''): string => head.replace(/^#/, '')

export const Section = ({
  title,
  aside,
  children,
}: {
  title: string
  aside?: ReactNode
  children: ReactNode
}) => (
  <section className="section">
    <header>
      <h2>{title}</h2>
      {aside}
    </header>
    {children}
  </section>
)
