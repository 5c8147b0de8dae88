/**
 * Text of models, tools, files and other machines is hostile. Here the server is real and so is the page; what the routes
 * answer is replaced on its way by values with an attack in every place that holds text.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../src/protocol/event.ts'
import type { VoteEvent } from '../../src/protocol/vote.ts'
import { oddStrings } from '../server/odd-strings.ts'
import { allStrings, attacks, poisoned } from './attacks.ts'
import { openBrowser, openTab, whyNoBrowser } from './browser.ts'
import { eventTemplates, pageTemplates, shortTemplates } from './templates.ts'
import { openServed, type Served } from './served.ts'

/** Before any script of the page: what runs, opens or breaks the policy is written down. */
const WATCH = () => {
  const seen: string[] = []
  Object.assign(window, {
    seen,
    __canary: () => seen.push('script'),
    alert: () => seen.push('alert'),
    open: () => seen.push('open'),
  })
  document.addEventListener('securitypolicyviolation', (event) =>
    seen.push(`policy ${event.violatedDirective} ${event.blockedURI}`),
  )
}

const seenBy = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => [...(window as unknown as { seen: string[] }).seen])

/** Anything that a person could click on and that is not a plain address. */
const oddLinks = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll('a'), ({ href }) => href).filter(
      (href) => !/^(?:https?:|mailto:)/.test(href),
    ),
  )

const strangeElements = (page: Page): Promise<number> =>
  page
    .locator('#root')
    .locator('script, iframe, object, embed, style, link, base, meta, form[action], img, video, audio, math')
    .count()

describe.skipIf(whyNoBrowser())(
  `hostile text in Chromium${whyNoBrowser() ? ` (${whyNoBrowser()})` : ''}`,
  () => {
    let browser: Browser
    let served: Served

    beforeAll(async () => {
      browser = await openBrowser()
      served = await openServed()
    })
    afterAll(async () => {
      await browser?.close()
      await served?.close()
    })

    async function openWatched(prepare: (page: Page) => Promise<void>) {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 4000 },
        reducedMotion: 'reduce',
      })
      await context.addInitScript(WATCH)
      const tab = await openTab(browser, 'about:blank', { context })
      await prepare(tab.page)
      await tab.page.goto(await served.address())
      await tab.page.getByRole('heading', { name: 'What shall be done?' }).waitFor()
      return tab
    }

    const expectInert = async (page: Page, requests: readonly string[]): Promise<void> => {
      expect(await seenBy(page)).toEqual([])
      expect(await oddLinks(page)).toEqual([])
      expect(await strangeElements(page)).toBe(0)
      expect(requests.filter((url) => !url.startsWith(served.url) && url !== 'about:blank')).toEqual([])
      expect(new URL(page.url()).origin).toBe(served.url)
    }

    test('the canary sees what would run', async () => {
      const { page } = await openWatched(async () => {})

      await page.evaluate(() => {
        document.body.insertAdjacentHTML(
          'beforeend',
          '<img src="/x.png" onerror="__canary()"><p style="color: red">x</p>',
        )
        ;(window as unknown as { __canary(): void }).__canary()
      })
      await page.waitForFunction(() => (window as unknown as { seen: string[] }).seen.length >= 3)

      expect(await seenBy(page)).toEqual(
        expect.arrayContaining(['script', 'policy script-src-attr inline', 'policy style-src-attr inline']),
      )
    })

    test('in everything a session shows runs nothing and sends no request', async () => {
      const { page, requests } = await openWatched(async (page) => {
        await page.route('**/v1/sessions/hostile**', (route) =>
          route.fulfill({ json: { id: 'hostile', messages: [] } }),
        )
        await page.route('**/v1/sessions/hostile/controls', (route) =>
          route.fulfill({ json: poisoned(pageTemplates.controls, attacks[0] ?? '') }),
        )
        await page.route('**/v1/sessions/hostile/events', (route) => {
          const events = [
            ...oddStrings().flatMap((text) => poisoned(shortTemplates, text)),
            ...attacks.flatMap((text) => poisoned(eventTemplates, text)),
          ]
          const numbered = events.map((event, index): SessionEvent => ({ ...event, id: index + 1 }))
          const body = numbered.map((event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`).join('')
          const open = `event: open\nid: 0\ndata: {"last":${numbered.length}}\n\n`
          return route.fulfill({ contentType: 'text/event-stream', body: open + body })
        })
      })

      await page.evaluate(() => (location.hash = '#/chat/hostile'))
      await page.locator('.log-row').first().waitFor()
      const drawn = await page.evaluate(async () => {
        const log = document.querySelector('.log') as HTMLElement
        const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
        let rows = 0
        for (let top = 0; ; top += 3000) {
          log.scrollTop = top
          await frame()
          await frame()
          for (const fold of log.querySelectorAll<HTMLElement>('[aria-expanded=false]')) fold.click()
          await frame()
          rows += log.querySelectorAll('.log-row').length
          if (top > log.scrollHeight) return rows
        }
      })

      expect(drawn).toBeGreaterThan(allStrings.length * 4)
      await page.waitForTimeout(300)
      await expectInert(page, requests)
    })

    test.each(Object.keys(pageTemplates.pages))(
      'in everything the page %s shows runs nothing',
      async (name) => {
        const routes = pageTemplates.pages[name as keyof typeof pageTemplates.pages]
        const { page, requests } = await openWatched(async (page) => {
          for (const [path, value] of Object.entries(routes)) {
            await page.route(`**/v1/page/${path}`, (route) =>
              route.fulfill({ json: manyTimes(value, attacks) }),
            )
          }
        })

        await page.evaluate((hash) => (location.hash = hash), `#/${name}`)
        await page.locator('main.page h1').waitFor()
        await page.getByText('⟨').first().waitFor()
        await page.evaluate(() => {
          for (const fold of document.querySelectorAll<HTMLElement>('main [aria-expanded=false], summary'))
            fold.click()
        })

        await page.waitForTimeout(200)
        await expectInert(page, requests)
      },
    )

    test('in votes of other machines and programs runs nothing', async () => {
      const { page, requests } = await openWatched(async (page) => {
        await page.route('**/v1/page/activity', (route) => {
          const told = attacks.flatMap((text, index) =>
            votes.map((event) => ({
              at: 1,
              source: { kind: index % 2 === 0 ? 'session' : 'request', id: text, client: text },
              event: poisoned(event, text),
            })),
          )
          const body = told.map(
            (one, id) => `id: ${id + 1}\ndata: ${JSON.stringify({ ...one, id: id + 1 })}\n\n`,
          )
          return route.fulfill({ contentType: 'text/event-stream', body: body.join('') })
        })
      })

      await page.evaluate(() => (location.hash = '#/flock'))
      await page.locator('.live-vote .groups').first().waitFor()

      expect(await page.locator('.live-vote').count()).toBe(12)
      await expectInert(page, requests)
    })

    test('in the fragment of an address runs nothing', async () => {
      const { page, requests } = await openWatched(async () => {})

      for (const text of attacks.slice(0, 40)) {
        await page.evaluate((hash) => (location.hash = hash), `#/chat/${text}`)
        await page.evaluate((hash) => (location.hash = hash), `#/${text}`)
      }
      await page.evaluate((hash) => (location.hash = hash), `#/chat/${encodeURIComponent(attacks[0] ?? '')}`)
      await page.getByText('does not exist').first().waitFor()

      await expectInert(page, requests)
    })

    test('in names of files, sessions and what a search finds runs nothing', async () => {
      const { page, requests } = await openWatched(async (page) => {
        const rows = allStrings.map((text, index) => ({
          id: `s${index}`,
          title: text,
          updatedAt: 1,
          messages: 2,
          excerpt: text,
        }))
        await page.route('**/v1/sessions', (route) =>
          route.request().method() === 'GET' ? route.fulfill({ json: { data: rows } }) : route.fallback(),
        )
        await page.route('**/v1/sessions/search**', (route) => route.fulfill({ json: { data: rows } }))
        await page.route('**/files**', (route) => route.fulfill({ json: { paths: attacks.slice(0, 100) } }))
      })
      await page.getByRole('button', { name: 'New' }).click()
      const box = page.getByRole('combobox', { name: 'Message' })
      await box.pressSequentially('@x')
      await page.getByRole('listbox').waitFor()
      await page.getByRole('searchbox', { name: 'Search sessions' }).fill('x')
      await page.locator('.excerpt').first().waitFor()
      await box.fill(attacks[0] ?? '')
      await box.press('Enter')
      await page.locator('.prompt').waitFor()

      await expectInert(page, requests)
    })
  },
)

const votes: readonly VoteEvent[] = [
  { type: 'vote', stage: 'start', why: 'why', workers: ['worker'] },
  { type: 'vote', stage: 'candidate', worker: 'worker', shows: 'shows', discarded: 'discarded' },
  {
    type: 'vote',
    stage: 'end',
    report: {
      state: 'elected',
      winner: 'worker',
      decider: 'vote',
      confidence: 1,
      votes: [{ workers: ['worker'], shows: 'shows', effect: 'write' }],
      discarded: [{ worker: 'worker', reason: 'cut', why: 'why' }],
      missing: [{ worker: 'worker', why: 'why' }],
      rounds: 1,
      usage: {},
    },
  },
]

/** Lists get one entry for each attack; each text is one of them. */
function manyTimes<T>(value: T, texts: readonly string[]): T {
  if (Array.isArray(value))
    return value.flatMap((each: unknown) => texts.map((text) => poisoned(each, text))) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    typeof inner === 'object'
      ? manyTimes(inner as unknown, texts)
      : poisoned(inner as unknown, texts[0] ?? '', name),
  ])
  return Object.fromEntries(entries) as T
}
