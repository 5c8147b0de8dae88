/**
 * Pictures of `covey shell` for docs/shell.md: the built program runs a real bash in a pty, a script answers, keys are typed,
 * and what is on the screen then is taken. Needs bash, `chromium` (or its path in CHROMIUM) and a monospaced font.
 * Run with: npm run docs:pictures
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pty from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { takePicture } from './terminal-pictures/take.ts'

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const COLUMNS = 84
const PATIENCE_MS = 30_000

type Step = { readonly types: string; readonly sees: RegExp }
type Picture = { readonly rows: number; readonly replies: readonly string[]; readonly steps: readonly Step[] }

const PROMPT = /~\/shop \$ $/
const MAKE: Step = { types: 'make test\r', sees: /Error 1\s+~\/shop \$ $/ }

const pictures: Readonly<Record<string, Picture>> = {
  question: {
    rows: 17,
    replies: [
      'The total is returned **inside the loop**, before the second item is added (`cart.js`, line 4).\n\nCMD: sed -n 1,8p cart.js',
    ],
    steps: [MAKE, { types: 'why does it fail?\r', sees: /\$ sed -n 1,8p cart\.js$/ }],
  },
  proposals: {
    rows: 14,
    replies: ['Either keep the changes for later or drop them:\n\n```sh\ngit stash\ngit checkout .\n```'],
    steps: [{ types: 'how do I get rid of my changes?\r', sees: /\$ git stash$/ }],
  },
  held: { rows: 8, replies: [], steps: [{ types: 'rm old things\r', sees: /\$ rm old things$/ }] },
  context: {
    rows: 14,
    replies: [],
    steps: [MAKE, { types: ':context\r', sees: /\[exit 2\]\s+~\/shop \$ $/ }],
  },
}

/** It is seen in a picture, so it is the same every time; one that is there is not touched. */
const home = join(tmpdir(), 'anna')
mkdirSync(home)
try {
  const shop = join(home, 'shop')
  mkdirSync(shop)
  writeFileSync(join(home, '.bash_profile'), "PS1='\\[\\e[36m\\]\\w\\[\\e[0m\\] $ '\n")
  writeFileSync(
    join(shop, 'Makefile'),
    'test:\n\t@echo "FAIL cart.test.js > adds two items"\n\t@echo "  expected 30, got 10"\n\t@false\n',
  )
  for (const [name, picture] of Object.entries(pictures)) await take(name, picture, shop)
} finally {
  rmSync(home, { recursive: true, force: true })
}
process.exit()

async function take(name: string, { rows, replies, steps }: Picture, cwd: string): Promise<void> {
  const script = join(home, 'replies.jsonl')
  writeFileSync(script, replies.map((text) => `${JSON.stringify({ text })}\n`).join(''))
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
  }
  const argv = [MAIN, 'shell', '--incognito', '--model', `scripted:${script}`]
  const child = pty.spawn(process.execPath, argv, { name: env.TERM, cols: COLUMNS, rows, cwd, env })
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows, allowProposedApi: true })
  child.onData((data) => terminal.write(data))
  await shows(terminal, PROMPT)
  for (const { types, sees } of steps) {
    child.write(types)
    await shows(terminal, sees)
  }
  takePicture(terminal, fileURLToPath(new URL(`../docs/shell/${name}.png`, import.meta.url)))
  child.kill('SIGKILL')
}

async function shows(terminal: xterm.Terminal, wanted: RegExp): Promise<void> {
  for (const begun = performance.now(); !wanted.test(textOf(terminal));) {
    if (performance.now() - begun > PATIENCE_MS) throw new Error(`no ${wanted} on:\n${textOf(terminal)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Up to the cursor. */
function textOf({ buffer: { active } }: xterm.Terminal): string {
  const lines = Array.from({ length: active.cursorY + 1 }, (_, at) => active.getLine(active.baseY + at))
  return lines
    .map((line, at) =>
      at === active.cursorY
        ? line?.translateToString(false, 0, active.cursorX)
        : line?.translateToString(true),
    )
    .join('\n')
}
