/** One request from its first header to its last byte: its id, who sent it, and the signal that ends its work. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { TLSSocket } from 'node:tls'
import { AppError } from '../../protocol/error.ts'
import type { Admission, RequestHead } from './guard-order.ts'
import { newId } from './new-id.ts'
import type { Route } from './route.ts'

export type Exchange = {
  readonly id: string
  /** Part of every answer. */
  readonly headers: Readonly<Record<string, string>>
  /** Without the query, which may hold secrets. */
  readonly path: string
  readonly route: Route | undefined
  readonly startedAt: number
  readonly address: string
  readonly controller: AbortController
  /** Resolves when the answer is out or the client is gone. */
  readonly done: Promise<void>
  admission?: Admission
  isWatch: boolean
}

export function beginExchange(
  raw: IncomingMessage,
  answer: ServerResponse,
  route: Route | undefined,
): Exchange {
  const id = newRequestId()
  const controller = new AbortController()
  const done = new Promise<void>((resolve) => {
    answer.once('close', () => {
      if (!answer.writableFinished) controller.abort(gone)
      resolve()
    })
  })
  return {
    id,
    headers: { 'x-request-id': id, ...safeHeaders },
    path: (raw.url ?? '').split('?', 1)[0]?.slice(0, 200) ?? '',
    route,
    startedAt: performance.now(),
    address: addressOf(raw),
    controller,
    done,
    isWatch: false,
  }
}

export const newRequestId = (): string => newId('req_')

export const toRequestHead = (raw: IncomingMessage, route: Route | undefined): RequestHead => ({
  method: raw.method ?? '',
  target: raw.url ?? '',
  headers: raw.headers,
  hosts: raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length,
  address: addressOf(raw),
  isBodiless: route !== undefined && route.body === undefined,
  secure: raw.socket instanceof TLSSocket ? raw.socket : undefined,
})

/** Never from a header: anyone can write one. */
const addressOf = (raw: IncomingMessage): string =>
  (raw.socket.remoteAddress ?? 'unknown').replace(/^::ffff:/, '')

const gone = new AppError('request-invalid', 'The client went away.')

/** No page may frame, sniff or keep what is answered here, and no script runs that is not a file of ours. */
const safeHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}
