/** Debian's Chromium, driven over its own protocol. What it reports against the page's policy is kept. */
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)

/** Why no browser can be driven here, if it cannot. */
export const whyNoBrowser = (): string | undefined =>
  CHROMIUM === undefined ? 'there is no Chromium; Debian has it as chromium' : undefined

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(CHROMIUM !== undefined && { executablePath: CHROMIUM }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })

export type Tab = {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors of scripts, refused resources, broken policies. */
  readonly complaints: string[]
  /** The addresses of all requests, as they were sent. */
  readonly requests: string[]
}

type TabOptions = {
  readonly width?: number
  readonly height?: number
  readonly scheme?: 'dark' | 'light'
  readonly context?: BrowserContext
}

export async function openTab(browser: Browser, address: string, options: TabOptions = {}): Promise<Tab> {
  const { width = 1280, height = 800, scheme = 'light' } = options
  const context =
    options.context ??
    (await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: 'reduce' }))
  // Against hanging for ever; a busy machine takes its time.
  context.setDefaultTimeout(90_000)
  const page = await context.newPage()
  const complaints: string[] = []
  const requests: string[] = []
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(address)
  return { page, context, complaints, requests }
}
