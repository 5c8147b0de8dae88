/** What the rest of the program hands to the server, and takes back when it ends. */
import type { Logger } from '../lib/log.ts'
import type { PageService } from '../protocol/page.ts'
import type { ActivityLog } from './web/activity.ts'
import type { ReadyCheck } from './admin/health.ts'
import type { SessionParts, TellAudit } from './parts.ts'
import type { Route } from './http/route.ts'

export type Serving = {
  /** The model APIs. Sessions, health, metrics and the description are added to them. */
  readonly routes: readonly Route[]
  /** What clients may name as the model, the usual one first. */
  readonly models: readonly string[]
  readonly sessions: SessionParts
  /** Where tools run and what may happen there without a question, in words: `/work/shop, permission ask, sandboxed`. */
  readonly workspace: string
  /** Where other machines are let in and why there, in words; absent where they are not. */
  readonly peers?: string
  /** The pages beside the chat; absent where there are none. */
  readonly page?: {
    readonly service: PageService
    readonly activity: ActivityLog
    /** Opens what the first session would wait for. */
    prepare(): Promise<void>
  }
  /** What has to be there to answer: the arms, the data folder. */
  readonly checks: readonly ReadyCheck[]
  readonly audit: TellAudit
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** What a person should know before anything happens. */
  readonly warnings: readonly string[]
  close(): Promise<void>
}
