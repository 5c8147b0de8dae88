/** The pages beside the chat in Chromium: what they show and what is done there; and that everybody can use them. */
import { createServer, type Server } from 'node:http'
import { readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packageFile } from '../../src/lib/package-files.ts'
import { until } from '../support/wait.ts'
import { openBrowser, openTab, type Tab, whyNoBrowser } from './browser.ts'
import { furnish, scene } from './scene.ts'
import { openServed, type Served } from './served.ts'

const PAGES = ['chat', 'flock', 'arms', 'models', 'memory', 'safety'] as const

type Finding = { readonly id: string; readonly impact: string; readonly nodes: readonly string[] }

/** All rules, or only what a colour scheme can break. */
async function findings(page: Page, isWhole: boolean): Promise<readonly Finding[]> {
  // The policy of the page refuses foreign scripts, so it is evaluated by the driver.
  await page.evaluate(axe.source)
  return page.evaluate(async (isWhole) => {
    const { axe: loaded } = window as unknown as {
      axe: {
        run(
          place: Document,
          options: object,
        ): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>
      }
    }
    const { violations } = await loaded.run(document, isWhole ? {} : { runOnly: ['color-contrast'] })
    return violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      nodes: nodes.map(({ html }) => html.slice(0, 160)),
    }))
  }, isWhole)
}

describe.skipIf(whyNoBrowser())(
  `the pages in Chromium${whyNoBrowser() ? ` (${whyNoBrowser()})` : ''}`,
  () => {
    let browser: Browser
    let served: Served
    let tab: Tab
    let page: Page

    const show = async (name: string): Promise<void> => {
      await page.evaluate((hash) => (location.hash = hash), `#/${name}`)
      await page.locator('main h1').first().waitFor()
    }

    beforeAll(async () => {
      browser = await openBrowser()
      served = await openServed(scene)
      await served.stop()
      await furnish(served, (path, text) => writeFile(path, text))
      await served.start()
      tab = await openTab(browser, await served.address())
      ;({ page } = tab)
      await page.getByRole('heading', { name: 'What shall be done?' }).waitFor()
    })
    afterAll(async () => {
      await browser?.close()
      await served?.close()
    })

    test('memory: found, added, changed, forgotten; the plan moves; skills are read and trusted', async () => {
      await show('memory')
      const facts = page.locator('.section', {
        has: page.getByRole('heading', { name: 'Memory', exact: true }),
      })
      await facts.getByText('The shop listens on port 8080').waitFor()

      await page.getByLabel('Something to remember').fill('Orders are kept for ten years')
      await page.getByRole('button', { name: 'Remember' }).click()
      await facts.getByText('Orders are kept for ten years').waitFor()
      await facts.locator('li', { hasText: 'ten years' }).getByRole('button', { name: /^Edit/ }).click()
      await page.getByLabel('Changed text').fill('Orders are kept for seven years')
      await page.getByRole('button', { name: 'Save' }).click()
      await facts.getByText('Orders are kept for seven years').waitFor()
      await facts
        .locator('li', { hasText: 'whole cents' })
        .getByRole('button', { name: /^Forget/ })
        .click()
      await facts.getByText('whole cents').waitFor({ state: 'detached' })
      await page.getByLabel('Search memory').fill('port')
      await until(async () => (await facts.locator('.rows li').count()) === 1)

      await page.getByLabel('A new task').fill('Gift cards')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      const waiting = page.getByRole('region', { name: 'Waiting' })
      await waiting.getByText('Gift cards').waitFor()
      await page.getByRole('button', { name: 'Done task 2' }).click()
      await page.getByRole('region', { name: 'Done' }).getByText('Discounts by the dozen').waitFor()

      const skill = page.locator('.rows li', { hasText: 'Prepare a release of the shop' })
      await skill.getByRole('button', { name: 'Show' }).click()
      await skill.getByText('Write the changelog.').waitFor()
      await skill.getByRole('button', { name: 'Trust release' }).click()
      await skill.getByRole('button', { name: 'Trust release' }).waitFor({ state: 'detached' })

      const { out } = await served.covey('memory')
      expect(out).toContain('seven years')
      expect(out).not.toContain('whole cents')
      expect((await served.covey('plan')).out).toContain('Gift cards')
    })

    test('safety: what was allowed for good is taken back, and counts no more', async () => {
      await show('safety')
      await page.getByRole('cell', { name: 'npm test', exact: true }).waitFor()

      await page.getByRole('button', { name: 'Take back run_command npm test' }).click()
      await page.getByRole('cell', { name: 'npm test', exact: true }).waitFor({ state: 'detached' })

      expect((await served.covey('permissions')).out).not.toContain('npm test')
      expect((await served.covey('permissions')).out).toContain('src/**')
      await page.getByRole('cell', { name: 'it holds secrets' }).waitFor()
      await page.getByLabel('Which lines').selectOption('approved')
      await page.getByRole('cell', { name: 'it holds secrets' }).waitFor({ state: 'detached' })
      expect(await page.getByText(/Commands run in it|sandbox/i).count()).toBeGreaterThan(0)
    })

    test('models: a download shows how far it is, stops, goes on, and the model is removed', async () => {
      const source = await openModelServer()
      await show('models')
      await page.getByRole('heading', { name: 'Fits this machine' }).waitFor()

      await page.getByLabel('Another model').fill(`${source.url}/tiny.gguf`)
      await page.locator('.form').getByRole('button', { name: 'Get' }).click()
      await page.getByRole('progressbar').waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByText('cancelled').waitFor()
      source.release()
      await page.getByLabel('Another model').fill(`${source.url}/tiny.gguf`)
      await page.locator('.form').getByRole('button', { name: 'Get' }).click()
      await page.locator('.tag', { hasText: 'done' }).waitFor()
      const row = page
        .getByRole('region', { name: 'Models on this machine' })
        .getByRole('row', { name: /tiny/ })
      await row.waitFor()
      await row.getByRole('button', { name: /^Actions/ }).click()
      await page.getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('button', { name: 'Remove' }).click()
      await row.waitFor({ state: 'detached' })
      source.close()
    })

    test('arms: what was learnt, the plots, and why the last runs went where they went', async () => {
      await show('arms')
      await page.getByRole('img', { name: 'Regret over time' }).locator('canvas').waitFor()

      const learnt = page.getByRole('region', { name: 'Success by type of task' })
      expect(await learnt.getByRole('row').count()).toBe(5)
      await page.locator('.decisions summary').first().click()
      await page.getByText('Not gpt-5: the cloud is not allowed').first().waitFor()
    })

    test('flock: a code and its QR code pair another machine', async () => {
      await show('flock')
      await page.getByRole('button', { name: 'Invite a machine' }).click()

      const line = await page.locator('.invited .line').first().innerText()
      await page.getByRole('img', { name: 'The code as a QR code' }).waitFor()
      expect(line).toMatch(/^covey peers join \S{20,}$/)
      await page.getByLabel('Code of another machine').fill('nonsense')
      await page.getByRole('button', { name: 'Join' }).click()
      await page.getByRole('alert').waitFor()
    })

    test('with the keyboard alone: a session is begun, asked, answered and left', async () => {
      const other = await openTab(browser, await served.address())
      const keys = other.page.keyboard
      await other.page.getByRole('heading', { name: 'What shall be done?' }).waitFor()
      const focusOn = async (name: RegExp): Promise<void> => {
        for (let presses = 0; presses < 60; presses++) {
          await keys.press('Tab')
          const text = await other.page.evaluate(() => {
            const { activeElement: element } = document
            return element?.getAttribute('aria-label') ?? element?.textContent ?? ''
          })
          if (name.test(text)) return
        }
        throw new Error(`no focus on ${name}`)
      }

      await focusOn(/^New$/)
      await keys.press('Enter')
      await other.page.getByText('Nothing was said here yet.').waitFor()
      await focusOn(/^Message$/)
      await keys.type('The total is wrong for three prices. Please fix it.')
      await keys.press('Enter')
      await other.page.getByRole('group', { name: 'Question' }).waitFor()
      await focusOn(/^y Yes, once$/)
      await keys.press('Enter')
      await other.page.getByText('The cart adds up any number').waitFor()
      await focusOn(/^Safety$/)
      await keys.press('Enter')
      await other.page.getByRole('heading', { name: 'Safety', level: 1 }).waitFor()

      expect(await readFile(join(served.project, 'src/cart.ts'), 'utf8')).toContain('reduce')
    })

    test.each([
      [1280, 'light'],
      [1280, 'dark'],
      [360, 'light'],
      [360, 'dark'],
    ] as const)(
      '%i wide and %s: axe finds nothing serious, and nothing sticks out',
      async (width, scheme) => {
        const other = await openTab(browser, await served.address(), { width, height: 780, scheme })
        const isWhole = (width === 1280) === (scheme === 'light')
        const session = await page.evaluate(async () => {
          const headers = { authorization: `Bearer ${sessionStorage.getItem('covey-token')}` }
          const { data } = (await (await fetch('/v1/sessions', { headers })).json()) as {
            data: { id: string }[]
          }
          return data[0]?.id
        })
        for (const name of [...PAGES, ...(session === undefined ? [] : [`chat/${session}`])]) {
          await other.page.evaluate((hash) => (location.hash = hash), `#/${name}`)
          await other.page.locator('main .welcome, main .log, main .section').first().waitFor()

          const serious = (await findings(other.page, isWhole)).filter(({ impact }) =>
            ['serious', 'critical'].includes(impact),
          )
          const overflow = await other.page.evaluate(() =>
            Math.max(
              document.documentElement.scrollWidth - innerWidth,
              ...Array.from(
                document.querySelectorAll('main, main > *'),
                (part) => part.getBoundingClientRect().right - innerWidth,
              ),
            ),
          )

          expect([name, serious]).toEqual([name, []])
          expect([name, overflow <= 1]).toEqual([name, true])
        }
        await other.context.close()
      },
    )

    test('nothing of all this was complained about', () => {
      expect(tab.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([])
    })
  },
)

/** The bundled model under another name, held back after its beginning until it is released. */
async function openModelServer() {
  const bytes = await readFile(packageFile('models/covey-nano.gguf'))
  let isHeld = true
  const server: Server = createServer((request, response) => {
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const left = bytes.subarray(from)
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': left.length,
      'accept-ranges': 'bytes',
      etag: '"tiny"',
      ...(from > 0 && { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    })
    if (request.method === 'HEAD') return response.end()
    if (!isHeld) return response.end(left)
    response.write(left.subarray(0, 1_000_000))
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    release: () => void (isHeld = false),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
