/** What this tab may do, for every button that does something. */
import { createContext, useContext } from 'react'

export type Scope = 'read' | 'chat' | 'tools' | 'approve' | 'admin'

export type About = {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly version: string
  readonly workspace: string
}

export type Access = { readonly about: About; has(scope: Scope): boolean }

export const accessOf = (about: About): Access => ({ about, has: (scope) => about.scopes.includes(scope) })

export const AccessContext = createContext<Access | undefined>(undefined)

export function useAccess(): Access {
  const access = useContext(AccessContext)
  if (!access) throw new Error('a page was drawn before the tab was let in')
  return access
}

/** For the title of a button that is off. */
export const needs = (scope: Scope): string => `Needs a token with the scope \`${scope}\``
