/**
 * Makes the pictures of docs/web.md in Chromium: `npx tsx scripts/web-pictures.ts [folder]`, after `npm run build`. The
 * flock needs network namespaces, so root; without them its pictures stay as they are.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { packageFile } from '../src/lib/package-files.ts'
import { whyNoNamespaces } from '../test/federation/namespaces.ts'
import { openBrowser, openTab } from '../test/web/browser.ts'
import { openLanFlock } from '../test/web/flock-site.ts'
import { furnish, scene } from '../test/web/scene.ts'
import { openServed, type Served } from '../test/web/served.ts'

type Shape = { readonly width: number; readonly height: number; readonly scheme: 'light' | 'dark' }

const wide = (scheme: Shape['scheme']): Shape => ({ width: 1280, height: 800, scheme })
const phone = (scheme: Shape['scheme']): Shape => ({ width: 360, height: 720, scheme })

const folder = process.argv[2] ?? packageFile('docs')
await mkdir(folder, { recursive: true })
const browser = await openBrowser()
try {
  await takeProject(browser)
  if (whyNoNamespaces() === undefined) await takeFlock(browser)
} finally {
  await browser.close()
}

async function takeProject(browser: Browser): Promise<void> {
  const served = await openServed(scene)
  try {
    await served.stop()
    await furnish(served, (path, text) => writeFile(path, text))
    await served.start()
    const session = await talk(browser, served)
    const chat = `chat/${session}`
    for (const shape of [wide('light'), wide('dark'), phone('light'), phone('dark')])
      await take(browser, served, { name: 'chat', hash: chat, shape, ready: '.question' })
    await take(browser, served, { name: 'arms', hash: 'arms', shape: wide('light'), ready: 'canvas' })
    await take(browser, served, { name: 'models', hash: 'models', shape: wide('dark'), ready: '.table' })
    await take(browser, served, { name: 'memory', hash: 'memory', shape: wide('light'), ready: '.board' })
    await take(browser, served, { name: 'safety', hash: 'safety', shape: phone('dark'), ready: '.table' })
  } finally {
    await served.close()
  }
}

/** A change that was approved, and a command that is asked for. */
async function talk(browser: Browser, served: Served): Promise<string> {
  const { page, context } = await openTab(browser, await served.address())
  await page.getByRole('button', { name: 'New' }).click()
  await ask(page, 'The total is wrong for three prices. Please fix it.')
  await page.getByRole('button', { name: 'Yes, once' }).click()
  await page.getByText('The cart adds up any number').waitFor()
  await ask(page, 'Check the types, please.')
  await page.getByRole('group', { name: 'Question' }).waitFor()
  const id = new URL(page.url()).hash.split('/')[2] ?? ''
  await context.close()
  return id
}

async function takeFlock(browser: Browser): Promise<void> {
  const flock = await openLanFlock()
  try {
    const { served, machines } = flock
    const { page, context } = await openTab(browser, await served.address())
    await page.getByRole('button', { name: 'New' }).click()
    await page.getByText('Nothing was said here yet.').waitFor()
    const other = await openTab(browser, `${await served.address()}`)
    await other.page.goto(`${served.url}/#/flock`)
    await other.page.locator('.machine.here').nth(1).waitFor()
    await ask(page, 'What is six times seven?')
    await other.page.getByText(/of 3 answered/).waitFor()
    await machines[1]?.kill()
    await other.page.locator('.groups').waitFor()
    await other.page.locator('.machine.gone').waitFor()
    await context.close()
    for (const shape of [wide('dark'), phone('light')])
      await take(browser, served, { name: 'flock', hash: 'flock', shape, ready: '.groups' })
  } finally {
    await flock.close()
  }
}

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

type Picture = { readonly name: string; readonly hash: string; readonly shape: Shape; readonly ready: string }

async function take(browser: Browser, served: Served, { name, hash, shape, ready }: Picture): Promise<void> {
  const { page, context } = await openTab(browser, await served.address(), shape)
  await page.locator('main').waitFor()
  await page.goto(`${served.url}/#/${hash}`)
  await page.locator(ready).first().waitFor()
  // Colours of code and the last measured row come a moment later.
  await page.waitForTimeout(700)
  const path = join(folder, `web-${name}-${shape.width}-${shape.scheme}.png`)
  await page.screenshot({ path })
  await context.close()
  console.log(path)
}
