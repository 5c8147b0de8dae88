import { expect, test } from 'vitest'
import type { Fetch } from '../../src/protocol/tool.ts'
import { fetchUrlTool } from '../../src/tools/fetch-url.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { callTool } from './call.ts'

const answering =
  (page: Partial<Awaited<ReturnType<Fetch>>>): Fetch =>
  async (url) => ({ url, status: 200, mediaType: 'text/html', text: 'words', ...page })

test('a page comes back with its title and where it came from', async () => {
  const fetch = answering({ title: 'Title', url: 'https://example.com/moved' })

  const result = await callTool(
    fetchUrlTool,
    { url: 'https://example.com/' },
    toolContext(await tempProject(), { fetch }),
  )

  expect(result).toEqual({ ok: true, text: '# Title\nhttps://example.com/moved\n\nwords' })
})

test('an error of the server is a failure that shows its text', async () => {
  const fetch = answering({ status: 404, text: 'no such page' })

  const result = await callTool(
    fetchUrlTool,
    { url: 'https://example.com/x' },
    toolContext(await tempProject(), { fetch }),
  )

  expect(result).toEqual({
    ok: false,
    code: 'failed',
    text: 'HTTP 404 from https://example.com/x\nno such page',
  })
})

test('a URL without its scheme is taken for https', async () => {
  const result = await callTool(
    fetchUrlTool,
    { url: 'example.com/a' },
    toolContext(await tempProject(), { fetch: answering({}) }),
  )

  expect(result.text).toBe('https://example.com/a\n\nwords')
})

test('the guard sees which URL would be fetched, as it would be', () => {
  expect(fetchUrlTool.access({ url: 'example.com' })).toEqual([
    { kind: 'fetch', target: 'https://example.com' },
  ])
  expect(fetchUrlTool.access({ url: 'https://example.com/' })).toEqual([
    { kind: 'fetch', target: 'https://example.com/' },
  ])
})

test('without a way to the web it says so', async () => {
  await expect(
    callTool(fetchUrlTool, { url: 'https://example.com/' }, toolContext(await tempProject())),
  ).rejects.toMatchObject({
    code: 'offline',
  })
})
