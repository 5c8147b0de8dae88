/** The chat in Chromium, against a real server with a scripted model: everything a person does there. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/wait.ts'
import { openBrowser, openTab, type Tab, whyNoBrowser } from './browser.ts'
import { openServed, type ScriptLine, type Served } from './served.ts'

const usage = { prompt: 1200, completion: 80, cached: 600 }

const EDIT: readonly ScriptLine[] = [
  {
    reasoning: 'First I look at the file.',
    text: 'I change it.',
    calls: [{ name: 'edit_file', input: { path: 'cart.ts', old: 'a + b', new: 'a - b' } }],
    usage,
  },
  { text: 'It subtracts now, see `cart.ts`.', usage },
]

const COMMAND: readonly ScriptLine[] = [
  {
    calls: [{ name: 'run_command', input: { command: 'touch made.txt; echo tick 1; sleep 30; echo never' } }],
    usage,
  },
  { text: 'Never said.', usage },
]

const ask = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('combobox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

const begin = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'New' }).click()
  await page.getByText('Nothing was said here yet.').waitFor()
}

const suggestions = (page: Page) => page.getByRole('listbox', { name: 'Completions' }).getByRole('option')

/** What is to be seen of the conversation, in order. */
/** A reply that is still open may end in an empty line. */
const said = async (page: Page): Promise<readonly string[]> =>
  (await page.locator('.prompt > p, .reply .markdown').allInnerTexts()).map((text) => text.trim())

describe.skipIf(whyNoBrowser())(`the chat in Chromium${whyNoBrowser() ? ` (${whyNoBrowser()})` : ''}`, () => {
  let browser: Browser
  const opened: Served[] = []

  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await Promise.all(opened.map((served) => served.close()))
  })

  async function open(script: readonly ScriptLine[]): Promise<{ served: Served; tab: Tab; page: Page }> {
    const served = await openServed({
      script,
      files: { 'cart.ts': 'export const total = (a: number, b: number) => a + b\n', 'src/deep/card.ts': '' },
    })
    opened.push(served)
    const tab = await openTab(browser, await served.address())
    await tab.page.getByRole('heading', { name: 'What shall be done?' }).waitFor()
    return { served, tab, page: tab.page }
  }

  test('a run is asked for, approved with a key, shown with its diff, and undone', async () => {
    const { served, tab, page } = await open(EDIT)
    await begin(page)

    await ask(page, 'Subtract instead')
    const question = page.getByRole('group', { name: 'Question' })
    await question.waitFor()
    const choices = await question.getByRole('button').allInnerTexts()
    await page.locator('body').click({ position: { x: 600, y: 60 } })
    await page.keyboard.press('y')
    await page.getByText('It subtracts now').waitFor()

    expect(choices).toEqual(
      expect.arrayContaining(['y Yes, once', 's Yes, for this session', 'n No', 'r No, and say why']),
    )
    expect(await readFile(join(served.project, 'cart.ts'), 'utf8')).toContain('a - b')
    const diff = page.getByRole('region', { name: 'Change of cart.ts' }).first()
    expect(await diff.locator('tr.remove').count()).toBe(1)
    await diff.getByRole('button', { name: 'Side by side' }).click()
    expect(await diff.locator('td.code.add').count()).toBe(1)

    await page.getByRole('button', { name: /^Thought/ }).click()
    await page.getByText('First I look at the file.').waitFor()
    expect(await page.locator('.context').innerText()).toContain('1.3k of')

    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Taken back: cart.ts.').waitFor()
    expect(await readFile(join(served.project, 'cart.ts'), 'utf8')).toContain('a + b')
    expect(tab.complaints).toEqual([])
  })

  test('a call shows what it prints while it runs; a second prompt waits; Stop ends both', async () => {
    const { page } = await open(COMMAND)
    await begin(page)

    await ask(page, 'Count')
    await page.getByRole('button', { name: 'Yes, once' }).click()
    await page.locator('.tool.running .output', { hasText: 'tick 1' }).waitFor()
    await ask(page, 'And then?')
    await page.locator('.prompt.queued', { hasText: 'And then?' }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()

    await page.getByText('Cancelled.').first().waitFor()
    await page.locator('.prompt.queued').waitFor({ state: 'detached' })
    expect(await page.getByText('Never said.').count()).toBe(0)
  })

  test('two tabs stay in step; what one answers is answered in the other', async () => {
    const { served, page } = await open([...EDIT, { text: 'Second answer.' }])
    await begin(page)
    const other = await openTab(browser, await served.address())
    await other.page.evaluate((hash) => (location.hash = hash), new URL(page.url()).hash)

    await ask(page, 'Subtract instead')
    await other.page.getByRole('button', { name: 'Yes, once' }).click()
    await page.getByText('It subtracts now').waitFor()
    await page.getByRole('group', { name: 'Question' }).waitFor({ state: 'detached' })
    await ask(other.page, 'Again')
    await page.getByText('Second answer.').waitFor()
    await other.page.getByText('Second answer.').waitFor()

    expect(await said(page)).toEqual(await said(other.page))
    expect(await said(page)).toEqual([
      'Subtract instead',
      'I change it.',
      'It subtracts now, see cart.ts.',
      'Again',
      'Second answer.',
    ])
  })

  test('after a reload, a lost connection and a restart nothing is missing and nothing is there twice', async () => {
    const { served, tab, page } = await open([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }])
    await begin(page)
    await ask(page, 'First')
    await page.getByText('One.').waitFor()
    const other = await openTab(browser, await served.address())
    const { hash } = new URL(page.url())
    await other.page.evaluate((to) => (location.hash = to), hash)
    await other.page.getByText('One.').waitFor()

    await page.reload()
    await until(async () => (await said(page)).length >= 2)
    const afterReload = await said(page)
    await tab.context.setOffline(true)
    await ask(other.page, 'Second')
    await other.page.getByText('Two.').waitFor()
    await tab.context.setOffline(false)
    await until(async () => (await said(page)).length >= 4)
    const afterLoss = await said(page)
    await served.restart('SIGKILL')
    await until(async () => (await page.locator('.lost').count()) === 0)
    await ask(page, 'Third')
    await page
      .getByText(/One\.|Three\./)
      .last()
      .waitFor()
    await other.page.getByText('Third').waitFor()

    expect(afterReload).toEqual(['First', 'One.'])
    expect(afterLoss).toEqual(['First', 'One.', 'Second', 'Two.'])
    // The script begins anew with the server.
    await until(async () => (await said(page)).length === 6)
    expect(await said(page)).toEqual(['First', 'One.', 'Second', 'Two.', 'Third', 'One.'])
    await until(async () => (await said(other.page)).length === 6)
    expect(await said(other.page)).toEqual(await said(page))
  })

  test('sessions are searched, forked, saved and deleted', async () => {
    const { page } = await open([{ text: 'The **answer** is 42.' }, { text: 'Go on.' }])
    await begin(page)
    await ask(page, 'What is the answer?')
    await page.getByText('The answer is 42.').waitFor()
    const first = new URL(page.url()).hash

    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('is 42')
    await page.locator('.sessions .excerpt').waitFor()
    await page.getByRole('button', { name: 'Actions for What is the answer?' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as md' }).click(),
    ])
    const saved = await readFile(await file.path(), 'utf8')
    await page.getByRole('button', { name: 'Actions for What is the answer?' }).click()
    await page.getByRole('button', { name: 'Fork' }).click()
    await page.waitForFunction((hash) => location.hash !== hash, first)
    await page.getByText('The answer is 42.').waitFor()
    await ask(page, 'More')
    await page.getByText('Go on.').waitFor()
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('')

    expect(saved).toContain('The **answer** is 42.')
    const [question, ...rest] = await said(page)
    // A copy has messages only, and those say what the model was told in front of the prompt.
    expect(question).toMatch(/What is the answer\?$/)
    expect(rest).toEqual(['The answer is 42.', 'More', 'Go on.'])
    await until(async () => (await page.locator('.sessions li').count()) === 2)
    const menu = page.locator('.sessions li.current').getByRole('button')
    await menu.click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await until(async () => (await page.locator('.sessions li').count()) === 1)
    await page.getByRole('heading', { name: 'What shall be done?' }).waitFor()
  })

  test('paths and commands are completed, files attached, model and mode switched', async () => {
    const { page } = await open([{ text: 'Read.' }])
    await begin(page)
    const box = page.getByRole('combobox', { name: 'Message' })

    await box.pressSequentially('look at @car')
    await suggestions(page).first().waitFor()
    const offered = await suggestions(page).allInnerTexts()
    await page.keyboard.press('Tab')
    const completed = await box.inputValue()
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.items.add(new File(['line one\n'], 'notes.txt', { type: 'text/plain' }))
      document
        .querySelector('.composer')
        ?.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }))
    })
    await page.getByRole('list', { name: 'Attached files' }).getByText('notes.txt').waitFor()
    await page.getByLabel('Mode', { exact: true }).selectOption('read-only')
    await until(async () => (await page.getByLabel('Mode', { exact: true }).inputValue()) === 'read-only')
    await page.keyboard.press('Enter')
    await box.press('Enter')
    await page.getByText('Read.').waitFor()
    await box.fill('/')
    await suggestions(page).first().waitFor()
    const commands = await suggestions(page).allInnerTexts()

    expect(offered.map((text) => text.trim())).toEqual(['@cart.ts', '@src/deep/card.ts'])
    expect(completed).toBe('look at @cart.ts ')
    expect(commands.map((text) => text.split(/\s/)[0])).toEqual(
      expect.arrayContaining(['/new', '/fork', '/compact', '/undo', '/redo', '/export']),
    )
    const history = await page.evaluate(async () => {
      const id = location.hash.split('/')[2]
      const headers = { authorization: `Bearer ${sessionStorage.getItem('covey-token')}` }
      return (await fetch(`/v1/sessions/${id}`, { headers })).text()
    })
    expect(history).toContain('The file cart.ts')
    expect(history).toContain('The file notes.txt')
  })
})
