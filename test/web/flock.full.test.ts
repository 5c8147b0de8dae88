/** The Flock page in Chromium while machines vote: two in network namespaces, one of them killed; and one at a NATS server. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoNamespaces } from '../federation/namespaces.ts'
import { until } from '../support/wait.ts'
import { openBrowser, openTab, whyNoBrowser } from './browser.ts'
import { tokensIn } from '../../src/server/http/tokens.ts'
import { openLanFlock, openNatsFlock, openToolServer, whyNoNats } from './flock-site.ts'
import { openServed, type Served } from './served.ts'

let browser: Browser
beforeAll(async () => {
  if (whyNoBrowser() === undefined) browser = await openBrowser()
})
afterAll(() => browser?.close())

/** A tab on the Flock page, and one in a session. */
async function openTabs(served: Served): Promise<{ readonly flock: Page; readonly chat: Page }> {
  const flock = (await openTab(browser, await served.address())).page
  await flock.getByRole('heading', { name: 'What shall be done?' }).waitFor()
  await flock.evaluate(() => (location.hash = '#/flock'))
  const chat = (await openTab(browser, await served.address())).page
  await chat.getByRole('button', { name: 'New' }).click()
  await chat.getByText('Nothing was said here yet.').waitFor()
  return { flock, chat }
}

const ask = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('combobox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

const openFlockPage = async (served: Served): Promise<Page> => {
  const { page } = await openTab(browser, await served.address())
  await page.getByRole('heading', { name: 'What shall be done?' }).waitFor()
  await page.evaluate(() => (location.hash = '#/flock'))
  await page.getByRole('heading', { name: 'Tool hosts' }).waitFor()
  return page
}

const alone = whyNoBrowser()

describe.skipIf(alone)(`this machine alone${alone ? ` (${alone})` : ''}`, () => {
  test('shows votes that other programs ask for', async () => {
    const script = Array.from({ length: 30 }, () => ({ text: 'The answer is 42.' }))
    const served = await openServed({ script, config: '[swarm]\nworkers = 3\nmost = 3\n' })
    try {
      const page = await openFlockPage(served)
      const token = await tokensIn(served.dataFolder).add('editor', ['chat'])
      const ask = () =>
        fetch(`${served.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            model: 'covey/swarm',
            messages: [{ role: 'user', content: 'Six times 7?' }],
          }),
        })

      const reply = (await (await ask()).json()) as { choices: [{ message: { content: string } }] }
      const vote = page.locator('.live-vote').first()
      await vote.getByText(/elected/).waitFor()

      expect(reply.choices[0].message.content).toBe('The answer is 42.')
      expect(await vote.innerText()).toContain('asked over the API by editor')
      expect(await vote.locator('.workers li').count()).toBe(3)
      expect(await vote.locator('a').count()).toBe(0)
    } finally {
      await served.close()
    }
  })

  test('shows the machine that runs its tools, the last call there, and that it is gone', async () => {
    const host = await openToolServer()
    const served = await openServed({
      script: [{ calls: [{ name: 'list_files', input: { path: '.' } }] }, { text: 'Seen.' }],
      config: `[tool_host]\nurl = "${host.url}"\ntoken = "${host.token}"\n`,
    })
    try {
      const page = await openFlockPage(served)
      const remote = page.locator('.tool-host', { has: page.getByText(host.url) })
      await remote.getByText('no call yet').waitFor()
      const { page: chat } = await openTab(browser, await served.address())
      await chat.getByRole('button', { name: 'New' }).click()
      await ask(chat, 'What is here?')
      await chat.getByText('Seen.').waitFor()
      await remote.getByText('list_files').first().waitFor()
      const called = await remote.innerText()
      await remote.locator('summary').click()
      const tools = await remote.locator('.tools code').allInnerTexts()
      const own = page.locator('.tool-host', { has: page.getByText('this machine', { exact: true }) })
      await host.stop()
      await remote.locator('.warning').waitFor()

      expect(called).toMatch(/list_files done/)
      expect(tools).toEqual(expect.arrayContaining(['read_file', 'run_command', 'list_files']))
      expect(await own.last().locator('.tools').allTextContents()).not.toContain('run_command')
      expect(await remote.locator('.warning').innerText()).toMatch(/ECONNREFUSED|refused|reset/i)
    } finally {
      await served.close()
      await host.close()
    }
  })
})

const noLan = whyNoBrowser() ?? whyNoNamespaces()

describe.skipIf(noLan)(`machines on the local network${noLan ? ` (${noLan})` : ''}`, () => {
  test('are shown with their models; a vote is drawn as it happens, also when one is killed in it', async () => {
    const { served, machines, close } = await openLanFlock()
    try {
      const { flock, chat } = await openTabs(served)
      const here = flock.locator('.machine.here')
      await until(async () => (await here.count()) === 2)
      const names = await flock.locator('.machine strong').allInnerTexts()

      await ask(chat, 'What is six times seven?')
      const vote = flock.locator('.live-vote').first()
      await vote.getByText(/of 3 answered/).waitFor()
      const atWork = await vote.locator('.workers .state.running').count()
      await machines[1]?.kill()
      await vote.getByText(/elected|split|none/).waitFor()

      expect(names).toEqual(['laptop', '10-78-0-1', '10-78-0-2'])
      expect(atWork).toBeGreaterThan(0)
      const lost = vote.locator('.workers li', { hasText: '10-78-0-2' })
      expect(await lost.innerText()).toMatch(/no answer: .+/)
      expect(await vote.locator('.workers li', { hasText: '10-78-0-1' }).innerText()).toContain(
        'The answer is 42',
      )
      expect(await vote.locator('.group.first').innerText()).toContain('2 votes')
      expect(await vote.locator('.groups').innerText()).toMatch(/decided|taken/)
      await flock.locator('.machine.gone', { hasText: '10-78-0-2' }).waitFor()
      await chat.locator('.vote').waitFor()
      await chat.locator('.reply', { hasText: 'The answer is 42' }).waitFor()
    } finally {
      await close()
    }
  })
})

const noNats = whyNoBrowser() ?? whyNoNats()

describe.skipIf(noNats)(`a machine at a NATS server${noNats ? ` (${noNats})` : ''}`, () => {
  test('is shown with its queue, and votes', async () => {
    const { served, close } = await openNatsFlock()
    try {
      const { flock, chat } = await openTabs(served)
      const tower = flock.locator('.machine.here', { hasText: 'tower' })
      await tower.waitFor()
      await flock.getByRole('heading', { name: 'NATS queue' }).waitFor()

      await ask(chat, 'What is six times seven?')
      const vote = flock.locator('.live-vote').first()
      await vote.getByText(/elected|split|none/).waitFor()

      expect(await tower.innerText()).toContain('NATS')
      expect(await vote.locator('.workers li', { hasText: 'tower' }).innerText()).toContain(
        'The answer is 42',
      )
    } finally {
      await close()
    }
  })
})
