/** A button that does something on the server; off, with the scope it needs, where the token does not allow it. */
import type { ReactNode } from 'react'
import { needs, type Scope, useAccess } from '../access.ts'
import type { Action } from '../api/use-remote.ts'

type Props = {
  readonly action: Action
  readonly scope?: Scope
  readonly className?: string
  readonly isOff?: boolean
  readonly label?: string
  readonly children: ReactNode
  run(): Promise<unknown>
}

export function Act({ action, scope = 'admin', className, isOff = false, label, children, run }: Props) {
  const isAllowed = useAccess().has(scope)
  return (
    <button
      type="button"
      className={className}
      aria-label={label}
      disabled={!isAllowed || action.isBusy || isOff}
      title={isAllowed ? undefined : needs(scope)}
      onClick={() => void action.run(run)}
    >
      {children}
    </button>
  )
}
