/** Who gets in, with what, and what they may do: `covey web`, codes, tokens, other sites. */
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokensIn } from '../../src/server/http/tokens.ts'
import { until } from '../support/wait.ts'
import { openBrowser, openTab, whyNoBrowser } from './browser.ts'
import { openServed, type Served } from './served.ts'

describe.skipIf(whyNoBrowser())(
  `getting into the page${whyNoBrowser() ? ` (${whyNoBrowser()})` : ''}`,
  () => {
    let browser: Browser
    let served: Served

    beforeAll(async () => {
      browser = await openBrowser()
      served = await openServed({ script: [{ text: 'Hello.' }, { text: 'Hello.' }] })
    })
    afterAll(async () => {
      await browser?.close()
      await served?.close()
    })

    const stored = (page: Awaited<ReturnType<typeof openTab>>['page']) =>
      page.evaluate(() => ({ ...sessionStorage }) as Record<string, string>)

    test('`covey web` opens the browser with a code that is good once, and the token is in no address', async () => {
      const opened = join(served.project, '..', 'opened')
      const launcher = join(served.project, '..', 'launch.sh')
      await writeFile(launcher, `#!/bin/sh\nprintf '%s' "$1" > '${opened}'\n`)
      await chmod(launcher, 0o755)
      served.env['BROWSER'] = launcher
      const ran = await served.covey('web')
      delete served.env['BROWSER']
      const address = await readFile(opened, 'utf8')
      const printed = await served.covey('web')

      const tab = await openTab(browser, address)
      await tab.page.getByRole('heading', { name: 'What shall be done?' }).waitFor()
      const token = (await stored(tab.page))['covey-token'] ?? ''
      const again = await openTab(browser, address)
      await again.page.getByText('covey web', { exact: true }).waitFor()

      expect([ran.code, ran.out]).toEqual([0, `Opened ${served.url}/ in the browser.\n`])
      expect(address).toMatch(/\/#code=[\w-]{32}$/)
      expect(printed.out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{32}\n$/)
      expect(token).toMatch(/^covey_/)
      const code = address.split('=')[1] ?? 'none'
      expect(tab.page.url()).toBe(`${served.url}/`)
      expect(tab.requests.filter((url) => url.includes(token) || url.includes(code))).toEqual([])
      expect(await tab.context.cookies()).toEqual([])
      expect(await tab.page.evaluate(() => ({ ...localStorage }) as object)).toEqual({})
      expect(await again.page.getByText(/used before/).count()).toBe(1)
      const audit = await readFile(join(served.dataFolder, 'audit.log'), 'utf8')
      for (const text of [
        served.logged(),
        audit,
        await readFile(join(served.dataFolder, 'tokens'), 'utf8'),
      ]) {
        expect(text).not.toContain(token)
        expect(text).not.toContain(code)
      }
      await tab.page.reload()
      await tab.page.getByRole('heading', { name: 'What shall be done?' }).waitFor()
    })

    test('a tab without a code, with a revoked or an expired token names the command', async () => {
      const bare = await openTab(browser, served.url)
      await bare.page.getByText('covey web', { exact: true }).waitFor()

      const revoked = await openTab(browser, await served.address())
      await revoked.page.getByRole('heading', { name: 'What shall be done?' }).waitFor()
      const tokens = tokensIn(served.dataFolder)
      for (const { name } of await tokens.list()) if (name.startsWith('page-')) await tokens.remove(name)
      // The page may learn it by itself before the button is pressed; then there is no button.
      void revoked.page
        .getByRole('button', { name: 'New' })
        .click()
        .catch(() => undefined)
      await revoked.page.getByText('covey web', { exact: true }).waitFor()

      const short = await tokens.add('page-short', ['admin'], { ttlMs: 1 })
      const expired = await openTab(browser, served.url)
      await expired.page.evaluate((token) => sessionStorage.setItem('covey-token', token), short)
      await expired.page.reload()
      await expired.page.getByText('covey web', { exact: true }).waitFor()

      expect(await stored(revoked.page)).toEqual({})
      expect(await stored(expired.page)).toEqual({})
    })

    test('a read-only tab sees everything and can do nothing; buttons name the scope they need', async () => {
      const owner = await openTab(browser, await served.address())
      await owner.page.getByRole('button', { name: 'New' }).click()
      await owner.page.getByRole('combobox', { name: 'Message' }).fill('Hi')
      await owner.page.keyboard.press('Enter')
      await owner.page.getByText('Hello.').waitFor()

      const { page } = await openTab(browser, await served.address({ isReadOnly: true }))
      await page.getByText('read only').waitFor()
      await page.locator('.sessions li a').first().click()
      await page.getByText('Hello.').waitFor()
      const isOff = await page.getByRole('combobox', { name: 'Message' }).isDisabled()
      const mode = await page.getByLabel('Mode', { exact: true }).getAttribute('title')
      await page.goto(`${served.url}/#/flock`)
      const invite = page.getByRole('button', { name: 'Invite a machine' })
      await invite.waitFor()
      const title = await invite.getAttribute('title')
      const status = await page.evaluate(async () => {
        const headers = {
          authorization: `Bearer ${sessionStorage.getItem('covey-token')}`,
          'content-type': 'application/json',
        }
        const post = async (path: string, body: unknown) =>
          (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).status
        return Promise.all([
          post('/v1/page/peers/invite', {}),
          post('/v1/page/memory/add', { text: 'x' }),
          post('/v1/page/plan/change', { action: 'add', text: 'x' }),
          post('/v1/page/rules/remove', { index: 0, tool: 'x' }),
          post('/v1/page/models/pull', { name: 'x' }),
        ])
      })

      expect(isOff).toBe(true)
      expect(mode).toBe('Needs a token with the scope `approve`')
      expect([await invite.isDisabled(), title]).toEqual([true, 'Needs a token with the scope `admin`'])
      expect(status).toEqual([403, 403, 403, 403, 403])
    })

    test('a read-only tab opens no session on the server, and sees what happens once another tab does', async () => {
      const owner = await openTab(browser, await served.address())
      await owner.page.getByRole('button', { name: 'New' }).click()
      await owner.page.getByRole('combobox', { name: 'Message' }).fill('Hi there')
      await owner.page.keyboard.press('Enter')
      await owner.page.getByText('Hello.').waitFor()
      const { hash } = new URL(owner.page.url())
      const id = hash.split('/').at(-1)
      await owner.context.close()
      await served.restart()

      const { page } = await openTab(browser, await served.address({ isReadOnly: true }))
      await page.evaluate((to) => (location.hash = to), hash)
      await page.getByText('Hello.').waitFor()
      const isOpen = await page.evaluate(async (wanted) => {
        const headers = { authorization: `Bearer ${sessionStorage.getItem('covey-token')}` }
        const { data } = (await (await fetch('/v1/sessions', { headers })).json()) as {
          data: { id: string; isOpen: boolean }[]
        }
        return data.find((session) => session.id === wanted)?.isOpen
      }, id)
      const again = await openTab(browser, await served.address())
      await again.page.evaluate((to) => (location.hash = to), hash)
      await again.page.getByRole('combobox', { name: 'Message' }).fill('Once more')
      await again.page.keyboard.press('Enter')
      await page.getByText('Once more').waitFor()
      await until(async () => (await page.locator('.reply').count()) === 2)

      expect(isOpen).toBe(false)
    })

    test('a page of another site and another name for this machine get nothing', async () => {
      const site = await openSite('<!doctype html><title>evil</title><iframe id=f></iframe>')
      const token = await tokensIn(served.dataFolder).add('stolen', ['admin'])
      const { page } = await openTab(browser, site.url)
      const answers = await page.evaluate(
        async ({ url, token }) => {
          const attempt = async (path: string, init: RequestInit = {}) =>
            fetch(`${url}${path}`, init).then(
              (response) => `${response.type} ${response.status}`,
              () => 'refused',
            )
          const frame = document.querySelector('iframe') as HTMLIFrameElement
          const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
          frame.src = url
          await loaded
          return {
            plain: await attempt('/v1/page'),
            withToken: await attempt('/v1/page', { headers: { authorization: `Bearer ${token}` } }),
            opaque: await attempt('/v1/page/token', {
              method: 'POST',
              mode: 'no-cors',
              body: '{"code":"x"}',
            }),
            framed: await Promise.resolve(frame.contentDocument === null),
          }
        },
        { url: served.url, token },
      )
      const named = await openTab(browser, 'about:blank')
      const reply = await named.page
        .goto(served.url.replace('127.0.0.1', 'covey.localhost'))
        .catch(() => undefined)
      site.close()

      expect(answers).toMatchObject({ plain: 'refused', withToken: 'refused', framed: true })
      expect(reply?.status() ?? 403).toBe(403)
      await until(async () =>
        (await readFile(join(served.dataFolder, 'audit.log'), 'utf8')).includes('other sites'),
      )
    })
  },
)

async function openSite(html: string): Promise<{ url: string; close(): void }> {
  const server: Server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}
