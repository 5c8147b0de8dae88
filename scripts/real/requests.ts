/**
 * Requests of one hand through the built program and a real server, one after another, each in a fresh copy of the hand's
 * project: `npx tsx scripts/real/requests.ts URL [hand] [count] [seconds]`. Counts how runs end, crashes, runs past the
 * limit and files that changed without having been asked for. The tiniest models are the hardest test of the loop.
 */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

type Step = { readonly do: string; readonly path?: string; readonly to?: string; readonly from?: string }
type Row = {
  readonly id: string
  readonly request: string
  readonly kind: string
  readonly effect: readonly Step[]
}

/** Kept for the figures of a finished model; never read here. */
const CLOSED = ['backend', 'frontend', 'researcher', 'student', 'teacher']

const [url = '', hand = 'devops', count = '40', seconds = '120'] = process.argv.slice(2)
if (CLOSED.includes(hand)) throw new Error(`${hand} is a test hand; choose a development hand`)
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const HAND = new URL(`../../nano/hands/${hand}/`, import.meta.url)

const rows = (await readFile(new URL('requests.jsonl', HAND), 'utf8'))
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)
const files = JSON.parse(await readFile(new URL('folder.json', HAND), 'utf8')) as Record<string, string>
const step = Math.max(1, Math.floor(rows.length / Number(count)))
const chosen = rows.filter((_, index) => index % step === 0).slice(0, Number(count))

const endings = new Map<string, number>()
let harmful = 0
for (const row of chosen) {
  const { reason, code, changed, tools, ms } = await runOne(row)
  const unasked = changed.filter((path) => !isAsked(path, row))
  if (unasked.length > 0) harmful++
  endings.set(reason, (endings.get(reason) ?? 0) + 1)
  console.log(
    `${row.id} ${row.kind.padEnd(5)} ${reason} (exit ${code}, ${(ms / 1000).toFixed(0)} s) ` +
      `${tools.join(' ') || 'no call'}${unasked.length > 0 ? ` CHANGED ${unasked.join(' ')}` : ''}`,
  )
}
console.log(
  `${chosen.length} requests; ended: ${[...endings].map(([why, times]) => `${why} ${times}`).join(', ')}`,
)
console.log(`changed something that was not asked for: ${harmful}`)

type Outcome = {
  readonly reason: string
  readonly code: number | null
  readonly changed: readonly string[]
  readonly tools: readonly string[]
  readonly ms: number
}

async function runOne({ request }: Row): Promise<Outcome> {
  const root = await mkdtemp(join(tmpdir(), 'covey-requests-'))
  const home = await mkdtemp(join(tmpdir(), 'covey-home-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
    const started = performance.now()
    const { code, out } = await covey(request, root, home)
    const ms = performance.now() - started
    const events = out.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Told] : []))
    const end = events.findLast(({ type }) => type === 'run-end')
    return {
      reason: end?.reason ?? (events.some(({ type }) => type === 'run-error') ? 'error' : 'no ending'),
      code,
      changed: await changedIn(root),
      tools: events.flatMap((event) => (event.type === 'tool-start' ? [event.call?.name ?? '?'] : [])),
      ms,
    }
  } finally {
    await Promise.all([root, home].map((folder) => rm(folder, { recursive: true, force: true })))
  }
}

type Told = { readonly type: string; readonly reason?: string; readonly call?: { readonly name: string } }

/** Killed twice as late as it should have ended by itself. */
function covey(request: string, cwd: string, home: string): Promise<{ code: number | null; out: string }> {
  const args = [MAIN, '--base-url', url, '--json', '--permission', 'auto', '--timeout', seconds, request]
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: Number(seconds) * 2_000,
      killSignal: 'SIGKILL',
    })
    let out = ''
    child.stdout.on('data', (data: Buffer) => (out += data.toString()))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out }))
  })
}

async function changedIn(root: string): Promise<string[]> {
  const here = new Map<string, string>()
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = relative(root, join(entry.parentPath, entry.name))
    if (entry.isFile() && !path.startsWith('.covey')) here.set(path, await readFile(join(root, path), 'utf8'))
  }
  const all = new Set([...here.keys(), ...Object.keys(files)])
  return [...all].filter((path) => here.get(path) !== files[path])
}

function isAsked(path: string, { effect }: Row): boolean {
  return effect.some((one) => one.do === 'run' || [one.path, one.from, one.to].includes(path))
}
