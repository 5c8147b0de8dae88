/** A table that scrolls by itself where the page is narrow. A column of numbers has a `#` before its name. */
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
              <th key={index} scope="col" className={text.startsWith('#') ? 'count' : ''}>
                {text === '' ? <span className="unseen">Actions</span> : text.replace(/^#/, '')}
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
