/** The guard's seam: the engine asks before every call; what stands behind it is handed in by `app.ts`. */
import type { ToolCall } from './message.ts'
import type { Access, Category } from './tool.ts'

export type AuthorizeRequest = {
  readonly call: ToolCall
  readonly category: Category
  readonly access: readonly Access[]
}

export type Authorization = {
  readonly verdict: 'allow' | 'ask' | 'deny'
  /** Shown to the person when asked, to the model when denied. */
  readonly why: string
}

export type Authorize = (request: AuthorizeRequest) => Promise<Authorization>

export type PermissionAnswer =
  | { readonly allow: true; readonly remember?: boolean }
  | { readonly allow: false; readonly reason?: string }
