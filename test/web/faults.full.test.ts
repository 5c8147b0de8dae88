/** What goes wrong around an open page: tabs at the same time, a silent network, huge messages, sessions that are deleted. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/wait.ts'
import { openBrowser, openTab, whyNoBrowser } from './browser.ts'
import { openProxy, type Proxy } from './proxy.ts'
import { openServed, type Served } from './served.ts'

const box = (page: Page) => page.getByRole('combobox', { name: 'Message' })

const ask = async (page: Page, text: string): Promise<void> => {
  await box(page).fill(text)
  await box(page).press('Enter')
}

const prompts = async (page: Page): Promise<readonly string[]> =>
  (await page.locator('.prompt > p').allInnerTexts()).map((text) => text.trim())

describe.skipIf(whyNoBrowser())(`an open page${whyNoBrowser() ? ` (${whyNoBrowser()})` : ''}`, () => {
  let browser: Browser
  let served: Served
  let proxy: Proxy

  beforeAll(async () => {
    browser = await openBrowser()
    served = await openServed({ script: Array.from({ length: 30 }, () => ({ text: 'Done.' })) })
    proxy = await openProxy(served.url)
  })
  afterAll(async () => {
    await browser?.close()
    proxy?.close()
    await served?.close()
  })

  const begin = async (): Promise<Page> => {
    const { page } = await openTab(browser, proxy.through(await served.address()))
    await page.getByRole('button', { name: 'New' }).click()
    await page.getByText('Nothing was said here yet.').waitFor()
    return page
  }

  const beside = async (page: Page): Promise<Page> => {
    const other = (await openTab(browser, proxy.through(await served.address()))).page
    await other.evaluate((hash) => (location.hash = hash), new URL(page.url()).hash)
    await box(other).waitFor()
    return other
  }

  test('two tabs that send at the same time: each message runs once, in the same order in both', async () => {
    const page = await begin()
    const other = await beside(page)

    for (const round of [1, 2, 3]) {
      await Promise.all([ask(page, `a${round}`), ask(other, `b${round}`)])
      await until(async () => (await page.locator('.reply').count()) === round * 2)
    }
    await until(async () => (await other.locator('.reply').count()) === 6)

    expect((await prompts(page)).toSorted()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3'])
    expect(await prompts(other)).toEqual(await prompts(page))
  })

  test('a session that another tab deletes is named as gone, and what was typed stays', async () => {
    const page = await begin()
    await ask(page, 'Keep this')
    await page.locator('.reply').waitFor()
    const other = await beside(page)
    await box(page).fill('half a thought')

    await other.locator('.sessions li.current').getByRole('button').click()
    await other.getByRole('button', { name: 'Delete' }).click()
    await other.getByRole('button', { name: 'Delete' }).click()
    await other.getByRole('heading', { name: 'What shall be done?' }).waitFor()
    await page.locator('.lost', { hasText: 'does not exist' }).waitFor()
    await box(page).press('Enter')
    await page.getByRole('alert').filter({ hasText: 'does not exist' }).waitFor()

    expect(await box(page).inputValue()).toBe('half a thought')
  })

  test('one line of almost 2 MB is sent, shown and reloaded; a longer one is refused and stays in the box', async () => {
    const page = await begin()
    const long = 'x'.repeat(1_900_000)

    await ask(page, long)
    await page.locator('.reply').waitFor()
    await page.reload()
    await page.locator('.reply').waitFor()
    const [shown] = await prompts(page)
    await ask(page, `${long}${long}`)
    await page.getByRole('alert').waitFor()

    expect(shown?.length).toBe(long.length)
    expect((await box(page).inputValue()).length).toBe(2 * long.length)
  })

  test('a connection that is silent for long is given up, and nothing is missing when it is back', async () => {
    const page = await begin()
    await ask(page, 'Before')
    await page.locator('.reply').waitFor()
    const direct = (await openTab(browser, await served.address())).page
    await direct.evaluate((hash) => (location.hash = hash), new URL(page.url()).hash)
    await box(direct).waitFor()

    proxy.freeze(true)
    await ask(direct, 'Meanwhile')
    await until(async () => (await direct.locator('.reply').count()) === 2)
    await page.locator('.lost').waitFor()
    proxy.freeze(false)
    await until(async () => (await page.locator('.reply').count()) === 2)

    expect(await prompts(page)).toEqual(['Before', 'Meanwhile'])
  })

  test('a tab that is older than its server says so where a page is gone', async () => {
    const page = await begin()
    await page.route(/\/assets\/flock-page/, (route) => route.fulfill({ status: 404, body: '' }))

    await page.getByRole('link', { name: 'Flock' }).click()
    await page.getByText('This tab is older than the server').waitFor()
    await page.unroute(/\/assets\/flock-page/)
    await page.getByRole('button', { name: 'Reload' }).click()

    await page.getByRole('button', { name: 'Invite a machine' }).waitFor()
  })
})
