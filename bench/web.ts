/**
 * The page in Chromium with a session of 5,000 messages: how long it takes to open, how smoothly it scrolls, and how long a
 * frame takes while 200 tokens a second arrive. `npm run bench:web`, after `npm run build`; on a machine that does nothing
 * else. The session is on disk as Covey writes it; the stream is the real server's with a model that types.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { RunEvent } from '../src/protocol/event.ts'
import { createSessionStore } from '../src/session/store.ts'
import { openBrowser, openTab } from '../test/web/browser.ts'
import { openServed, type Served } from '../test/web/served.ts'

const MESSAGES = 5_000
const TOKENS_PER_SECOND = 200
const STREAM_S = 10

const scrollUp = `(async () => {
  const log = document.querySelector('.log')
  for (let step = 0; step < 240; step++) {
    log.scrollTop -= 400
    await new Promise((done) => requestAnimationFrame(done))
  }
})()`

const model = createServer(async (request, response) => {
  request.resume()
  if (request.url === '/v1/models') return response.end('{"data":[{"id":"m"}]}')
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const started = performance.now()
  for (let sent = 0; sent < TOKENS_PER_SECOND * STREAM_S && !response.destroyed;) {
    const due = Math.floor(((performance.now() - started) / 1000) * TOKENS_PER_SECOND)
    for (; sent < due; sent++) response.write(`data: ${JSON.stringify(delta(word(sent)))}\n\n`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  response.write(
    `data: ${JSON.stringify({ ...delta(''), choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`,
  )
  return response.end('data: [DONE]\n\n')
})
await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`

const served = await openServed({
  args: ['--base-url', url, '--model', 'm', '--window', '1000000', '--no-probe'],
})
const browser = await openBrowser()
try {
  await served.stop()
  const id = await writeSession(served)
  await served.start()
  const { page } = await openTab(browser, await served.address(), { width: 1280, height: 800 })
  await page.locator('.sessions li a').waitFor()
  const opens = []
  for (let round = 0; round < 3; round++) opens.push(await measureOpen(page, id))
  console.log(`open ${MESSAGES} messages: ${opens.map((ms) => `${Math.round(ms)} ms`).join(', ')}`)
  console.log(`scroll through them: ${describe(await measureFrames(page, scrollUp))}`)
  await page.getByRole('button', { name: 'To the end' }).click()
  await page.getByRole('combobox', { name: 'Message' }).fill('Go on.')
  await page.keyboard.press('Enter')
  await page.locator('.live .reply').waitFor()
  console.log(
    `${TOKENS_PER_SECOND} tokens/s: ${describe(await measureFrames(page, 'new Promise((done) => setTimeout(done, 6000))'))}`,
  )
} finally {
  await browser.close()
  await served.close()
  model.close()
}

/** From the click to the last message on the screen, in an already opened page. */
async function measureOpen(page: Page, id: string): Promise<number> {
  await page.evaluate(`location.hash = '#/chat'`)
  await page.getByRole('heading', { name: 'What shall be done?' }).waitFor()
  return page.evaluate<number>(`new Promise((done) => {
    const started = performance.now()
    location.hash = '#/chat/${id}'
    const look = () => {
      const rows = document.querySelectorAll('.log-row')
      if (rows.length > 0 && rows[rows.length - 1].textContent.includes('Answer ${MESSAGES / 2 - 1}.'))
        requestAnimationFrame(() => done(performance.now() - started))
      else requestAnimationFrame(look)
    }
    look()
  })`)
}

type Frames = { readonly work: readonly number[]; readonly gaps: readonly number[] }

/** What scripts, style and layout took within each frame, as the browser itself traces it, and the gaps between frames. */
async function measureFrames(page: Page, action: string): Promise<Frames> {
  return page.evaluate<Frames>(`(async () => {
    const gaps = []
    const work = []
    let isOver = false
    let last = performance.now()
    const channel = new MessageChannel()
    let began = 0
    channel.port1.onmessage = () => work.push(performance.now() - began)
    const tick = (at) => {
      gaps.push(at - last)
      last = at
      // From the start of the frame's own work to the first task after it was painted.
      began = at
      channel.port2.postMessage(0)
      if (!isOver) requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
    await ${action}
    isOver = true
    return { work: work.slice(2), gaps: gaps.slice(2) }
  })()`)
}

function describe({ work, gaps }: Frames): string {
  const share = (values: readonly number[], part: number) =>
    values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)]?.toFixed(1)
  return `${work.length} frames, work p50 ${share(work, 0.5)} ms, p95 ${share(work, 0.95)} ms, p99 ${share(work, 0.99)} ms; gap p50 ${share(gaps, 0.5)} ms, p95 ${share(gaps, 0.95)} ms`
}

function delta(content: string) {
  return { id: 'x', model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] }
}

function word(index: number): string {
  if (index % 40 === 39) return '.\n\n'
  return index % 97 === 50 ? '`code` ' : `word${index % 13} `
}

/** Runs of one prompt and one answer, as a session keeps them. */
async function writeSession({ dataFolder, project }: Served): Promise<string> {
  const at = Date.parse('2026-01-01T00:00:00Z')
  const store = createSessionStore({ folder: join(dataFolder, 'sessions') })
  const { log, close, replay } = await store.create({ cwd: project, system: 'You help.' })
  let id = 0
  const tell = (event: RunEvent) => log.append({ type: 'event', at, id: ++id, event })
  for (let run = 0; run < MESSAGES / 2; run++) {
    const runId = `run-${run}`
    const user = { role: 'user', text: `Question ${run}: what about item ${run}?` } as const
    const reply = {
      role: 'assistant',
      text: `Answer ${run}.\n\n- first **point** of ${run}\n- second point with \`code\`\n\n${'It goes on for a while. '.repeat(1 + (run % 6))}`,
      calls: [],
    } as const
    log.append({ type: 'prompt', at, runId, input: user.text, options: {} })
    log.append({ type: 'composed', at, runId, messages: [user] })
    tell({ type: 'run-start', runId, prompt: user.text })
    tell({ type: 'turn-start', turn: 1 })
    log.append({ type: 'message', at, message: reply })
    tell({ type: 'turn-end', turn: 1, messages: [reply] })
    const attribution = { model: 1, repair: 0, detector: 0 }
    tell({ type: 'run-end', runId, reason: 'answered', turns: 1, changed: [], attribution })
  }
  await close()
  return replay.info.id
}
