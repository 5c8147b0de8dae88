/** What `npm run build` makes of the page: small enough, and nothing that the page's policy would refuse. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../../dist/web', import.meta.url))
const isBuilt = existsSync(join(folder, 'index.html'))

const MOST_BYTES = 350_000

describe.skipIf(!isBuilt)('the page as it was built (`npm run build`)', () => {
  const names = isBuilt ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  const files = names
    .filter((name) => /\.\w+$/.test(name))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))

  test('has at most 350 kB packed, all files together', () => {
    const sizes = files.map(({ text }) => gzipSync(text).length)

    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES)
  })

  test('sends no request to another server', () => {
    const html = files.find(({ name }) => name === 'index.html')?.text ?? ''

    expect(html.match(/(?:src|href)="([^"]+)"/g)).not.toEqual([])
    for (const [, address] of html.matchAll(/(?:src|href)="([^"]+)"/g))
      expect(address).toMatch(/^\/assets\/[\w.-]+-[\w-]{8}\.\w+$/)
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style=/)
    for (const { name, text } of files.filter((file) => file.name.endsWith('.css')))
      expect([name, /@import|url\((?!['"]?\/assets\/)/.test(text)]).toEqual([name, false])
  })
})
