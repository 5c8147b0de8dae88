/**
 * The files of the page, as `npm run build` left them: the page itself is asked for anew each time, all else has its
 * hash in its name and is kept by browsers for a year. Read once; nothing outside the folder can be named.
 */
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { defineProblem, ProblemError } from '../http/errors.ts'
import { defineRoute, type Route, type RouteReply, type RouteRequest } from '../http/route.ts'

type Asset = { readonly mediaType: string; readonly plain: Buffer; readonly packed: Buffer }
type Assets = ReadonlyMap<string, Asset>

export function assetRoutes(folder: string): readonly Route[] {
  let loading: Promise<Assets> | undefined
  const load = (): Promise<Assets> => {
    loading ??= loadAssets(folder).catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
  return [
    defineRoute({
      method: 'GET',
      path: '/',
      scope: 'open',
      summary: 'The page',
      handle: async (request) => toReply(await load(), 'index.html', request),
    }),
    defineRoute({
      method: 'GET',
      path: '/assets/*',
      scope: 'open',
      summary: 'Files of the page',
      handle: async (request) => toReply(await load(), `assets/${request.params['*'] ?? ''}`, request),
    }),
  ]
}

function toReply(assets: Assets, name: string, { headers }: RouteRequest): RouteReply {
  const asset = assets.get(name)
  if (!asset) throw new ProblemError(defineProblem(404, 'not_found', MISSING))
  const isPacked = /\bgzip\b/.test(headers['accept-encoding'] ?? '')
  const { mediaType } = asset
  return {
    kind: 'text',
    mediaType,
    body: isPacked ? asset.packed : asset.plain,
    headers: {
      vary: 'accept-encoding',
      'cache-control': name === 'index.html' ? 'no-cache' : 'public, max-age=31536000, immutable',
      ...(isPacked && { 'content-encoding': 'gzip' }),
    },
  }
}

const MISSING =
  'This file is not part of the page; open / anew, or run `npm run build` where it was not built.'

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

async function loadAssets(folder: string): Promise<Assets> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const files = names.filter((name) => extname(name) in mediaTypes)
  const loaded = files.map(async (name) => {
    const plain = await readFile(join(folder, name))
    const asset = { mediaType: mediaTypes[extname(name)] ?? '', plain, packed: gzipSync(plain) }
    return [name.replaceAll('\\', '/'), asset] as const
  })
  return new Map(await Promise.all(loaded))
}
