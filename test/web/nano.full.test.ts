/** The built-in model answers in the chat: the real one, in the program itself, with no other model configured. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openBrowser, openTab, whyNoBrowser } from './browser.ts'
import { openServed } from './served.ts'

const ask = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('combobox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

const isOver = (page: Page) => page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' })

const noBrowser = whyNoBrowser()

describe.skipIf(noBrowser)(`the built-in model in the chat${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  test('lists a folder, and declines in one line what it cannot do', async () => {
    const files = { 'src/cart.ts': 'export {}\n', 'src/price.ts': 'export {}\n', 'notes.txt': 'x\n' }
    const served = await openServed({ args: [], files })
    const browser = await openBrowser()
    try {
      const { page, complaints } = await openTab(browser, await served.address())
      await page.getByRole('button', { name: 'New' }).click()
      await page.getByText('Nothing was said here yet.').waitFor()

      await ask(page, 'list the files in src')
      const replies = page.locator('.reply .markdown')
      await replies.first().waitFor()
      await page.locator('.tool', { hasText: 'src' }).first().waitFor()
      await isOver(page)
      const listed = await replies.first().innerText()
      const before = await replies.count()
      await ask(page, 'Explain why quicksort is faster than bubble sort.')
      await replies.nth(before).waitFor()
      await isOver(page)
      const declined = (await replies.nth(before).innerText()).trim()

      expect(listed).toContain('cart.ts')
      expect(listed).toContain('price.ts')
      expect(listed).not.toContain('notes.txt')
      expect(declined).toMatch(/built-in model/)
      expect(declined.split('\n')).toHaveLength(1)
      expect(await page.getByLabel('Model', { exact: true }).innerText()).toContain('covey/nano')
      expect(complaints).toEqual([])
    } finally {
      await browser.close()
      await served.close()
    }
  })
})
