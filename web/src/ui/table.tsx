/** A table that scrolls by itself where the page is narrow. */
import type { ReactNode } from 'react'

export function Table({
  head,
  label,
  children,
}: {
  head: readonly string[]
  label: string
  children: ReactNode
}) {
  return (
    <div className="table" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((text, index) => (
              <th key={index} scope="col">
                {text === '' ? <span className="unseen">Actions</span> : text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

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
