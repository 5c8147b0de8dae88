/** A reply that is still being written, while tabs are reloaded and the server is killed under them. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/wait.ts'
import { openBrowser, openTab, whyNoBrowser } from './browser.ts'
import { openServed, type Served } from './served.ts'

const noBrowser = whyNoBrowser()

/** Writes word after word, and the last one only when it is let. */
async function openTypist() {
  let isLet = false
  const piece = (delta: object, reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'x', model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
  const server: Server = createServer((request, response) => {
    request.resume()
    if (request.url === '/v1/models') return void response.end('{"data":[{"id":"m"}]}')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let count = 0
    const timer = setInterval(() => {
      if (count < WORDS) return void response.write(piece({ content: `w${count++} ` }))
      if (!isLet) return
      clearInterval(timer)
      response.end(`${piece({ content: 'end.' })}${piece({}, 'stop')}data: [DONE]\n\n`)
    }, 40)
    response.on('close', () => clearInterval(timer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    letEnd: (is: boolean) => (isLet = is),
    close: () => server.close(),
  }
}

const WORDS = 30
const written = Array.from({ length: WORDS }, (_, index) => `w${index}`).join(' ')

const ask = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('combobox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

const said = async (page: Page): Promise<readonly string[]> =>
  (await page.locator('.prompt > p, .reply .markdown, .log .note').allInnerTexts()).map((text) => text.trim())

const untilSaid = (page: Page, last: string) => until(async () => (await said(page)).at(-1) === last)

/** The answer to it, from its first word on; the last ones may be held back until it is known what they are. */
const untilWritten = (page: Page, prompt: string) =>
  until(async () => {
    const [asked, answer] = (await said(page)).slice(-2)
    return asked === prompt && (answer?.startsWith(written.slice(0, -12)) ?? false)
  })

describe.skipIf(noBrowser)(`a reply in the middle${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let browser: Browser
  let served: Served
  let typist: Awaited<ReturnType<typeof openTypist>>

  beforeAll(async () => {
    browser = await openBrowser()
    typist = await openTypist()
    served = await openServed({
      args: ['--base-url', typist.url, '--model', 'm', '--window', '100000', '--no-probe'],
    })
  })
  afterAll(async () => {
    await browser?.close()
    await served?.close()
    typist?.close()
  })

  test('is whole in a reloaded tab, in a new one, and after the server was killed and started', async () => {
    const { page } = await openTab(browser, await served.address())
    await page.getByRole('button', { name: 'New' }).click()
    await page.getByText('Nothing was said here yet.').waitFor()
    typist.letEnd(true)
    await ask(page, 'First')
    await untilSaid(page, `${written} end.`)

    // The session is one that was resumed, so that its beginning is only in its log.
    await served.restart()
    typist.letEnd(false)
    await until(async () => (await page.locator('.lost').count()) === 0)
    await ask(page, 'Second')
    await untilWritten(page, 'Second')
    await page.reload()
    await untilWritten(page, 'Second')
    const other = (await openTab(browser, await served.address())).page
    await other.evaluate((hash) => (location.hash = hash), new URL(page.url()).hash)
    await untilWritten(other, 'Second')
    typist.letEnd(true)
    await untilSaid(page, `${written} end.`)
    await untilSaid(other, `${written} end.`)

    typist.letEnd(false)
    await ask(other, 'Third')
    await untilWritten(page, 'Third')
    await served.restart('SIGKILL')
    const cut = 'The process ended before this run did.'
    await until(async () => (await page.locator('.log').innerText()).includes(cut))
    await until(async () => (await other.locator('.log').innerText()).includes(cut))
    typist.letEnd(true)
    await ask(page, 'Fourth')
    await untilSaid(page, `${written} end.`)
    await untilSaid(other, `${written} end.`)

    const prompts = (await said(page)).filter((text) => /^[A-Z][a-z]+$/.test(text))
    expect(prompts).toEqual(['First', 'Second', 'Third', 'Fourth'])
    expect((await said(page)).filter((text) => text === `${written} end.`)).toHaveLength(3)
    expect(await said(other)).toEqual(await said(page))
  })
})
