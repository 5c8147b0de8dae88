/** Connections that break between a request and its answer: nothing is lost, and nothing happens twice. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/wait.ts'
import { openBrowser, openTab, whyNoBrowser } from './browser.ts'
import { openProxy, type Proxy } from './proxy.ts'
import { openServed, type ScriptLine, type Served } from './served.ts'

const edit = (from: string, to: string): ScriptLine => ({
  calls: [{ name: 'edit_file', input: { path: 'cart.ts', old: from, new: to } }],
})

const SCRIPT: readonly ScriptLine[] = [
  ...Array.from({ length: 5 }, (_, index) => ({ text: `Answer ${index + 1}.` })),
  edit('a + b', 'a - b'),
  { text: 'Changed.' },
]

const PROMPT = /^POST \S+\/prompt$/
const ANSWER = /^POST \S+\/answer$/

const box = (page: Page) => page.getByRole('combobox', { name: 'Message' })

const ask = async (page: Page, text: string): Promise<void> => {
  await box(page).fill(text)
  await page.keyboard.press('Enter')
}

const said = async (page: Page): Promise<readonly string[]> =>
  (await page.locator('.prompt > p, .reply .markdown').allInnerTexts()).map((text) => text.trim())

const untilSaid = (page: Page, texts: readonly string[]) =>
  until(async () => JSON.stringify(await said(page)) === JSON.stringify(texts))

describe.skipIf(whyNoBrowser())(
  `a connection that breaks${whyNoBrowser() ? ` (${whyNoBrowser()})` : ''}`,
  () => {
    let browser: Browser
    let served: Served
    let proxy: Proxy
    let page: Page
    const whole: string[] = []

    beforeAll(async () => {
      browser = await openBrowser()
      served = await openServed({ script: SCRIPT, files: { 'cart.ts': 'export const t = a + b\n' } })
      proxy = await openProxy(served.url)
      page = (await openTab(browser, proxy.through(await served.address()))).page
      await page.getByRole('button', { name: 'New' }).click()
      await page.getByText('Nothing was said here yet.').waitFor()
    })
    afterAll(async () => {
      await browser?.close()
      proxy?.close()
      await served?.close()
    })

    test('after the server took the message: the page sends it again, and it runs once', async () => {
      proxy.break(PROMPT, 'cut-answer')
      await ask(page, 'First')
      await until(() => proxy.count(PROMPT) >= 2)
      proxy.break(PROMPT, undefined)
      whole.push('First', 'Answer 1.')
      await untilSaid(page, whole)
      await until(() => page.getByRole('button', { name: 'Send' }).isEnabled())

      expect(await box(page).inputValue()).toBe('')
      expect(await page.getByRole('alert').count()).toBe(0)
    })

    test('and stays broken: the message leaves the box as soon as the session tells of it', async () => {
      proxy.break(PROMPT, 'cut-answer')
      await ask(page, 'Second')
      whole.push('Second', 'Answer 2.')
      await untilSaid(page, whole)
      await until(() => page.getByRole('button', { name: 'Send' }).isEnabled())
      proxy.break(PROMPT, undefined)
      expect(await box(page).inputValue()).toBe('')
      expect(await page.getByRole('alert').count()).toBe(0)

      await page.reload()
      await untilSaid(page, whole)
      expect(await box(page).inputValue()).toBe('')
    })

    test('before a reload: a message the server has is not sent again, one it has not is', async () => {
      proxy.break(PROMPT, 'hold-answer')
      await ask(page, 'Third')
      whole.push('Third', 'Answer 3.')
      await untilSaid(page, whole)
      await page.reload()
      await untilSaid(page, whole)
      proxy.break(PROMPT, 'hold-request')
      const before = proxy.count(PROMPT)
      await ask(page, 'Fourth')
      await until(() => proxy.count(PROMPT) > before)
      proxy.break(PROMPT, undefined)
      await page.reload()
      whole.push('Fourth', 'Answer 4.')
      await untilSaid(page, whole)

      await ask(page, 'Fifth')
      whole.push('Fifth', 'Answer 5.')
      await untilSaid(page, whole)
      expect(await box(page).inputValue()).toBe('')
    })

    test('after the server took an answer to a question: it counts once, and no error is shown', async () => {
      await ask(page, 'Sixth')
      proxy.break(ANSWER, 'cut-answer')
      await page.getByRole('button', { name: 'Yes, once' }).click()
      await until(() => proxy.count(ANSWER) >= 2)
      proxy.break(ANSWER, undefined)
      whole.push('Sixth', 'Changed.')
      await untilSaid(page, whole)

      expect(await page.getByRole('alert').count()).toBe(0)
    })
  },
)
