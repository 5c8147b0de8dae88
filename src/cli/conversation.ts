/** A conversation, on the screen of a terminal or line by line. Both are clients of SessionApi; neither knows how it came to be. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { cleanControl } from '../lib/clean.ts'
import type { Talk } from '../tui/talk.ts'
import { createAtStart } from './at-start.ts'
import type { RunFlags } from './run/flags.ts'
import { type ConverseParts, historyFileOf, themeFileOf } from './talk.ts'

export async function converse(parts: ConverseParts): Promise<number> {
  const { flags, context } = parts
  const { io, env } = context
  if (isPlain(flags, env)) {
    const { talkInLines } = await import('./plain/conversation.ts')
    return talkInLines(await parts.open(createAtStart(io, { json: true })), parts)
  }
  const { runTerminal } = await import('../tui/open.ts')
  const historyFile = historyFileOf(flags, env)
  const themeFile = themeFileOf(env)
  let opened: Talk | undefined
  try {
    const id = await runTerminal({
      title: 'covey',
      isVerbose: flags.verbose,
      promptOptions: flags.prompt,
      ...(historyFile !== undefined && { historyFile }),
      open: async (atStart) => (opened = await parts.open(atStart)),
      onTalk: (talk) => (opened = talk),
      theme: readTheme(themeFile),
      keepTheme: (name) => keepTheme(themeFile, name),
      ...(context.onInterrupt && { onInterrupt: context.onInterrupt }),
      signal: context.signal,
    })
    if (id !== undefined && !opened?.isIncognito)
      io.out(`Go on with: covey --resume-id ${cleanControl(id)}\n`)
    return 0
  } finally {
    await opened?.session.close()
  }
}

function readTheme(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}

/** Colours that cannot be kept are chosen again the next time. */
function keepTheme(file: string, name: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${name}\n`)
  } catch {}
}

/** Screen readers and programs get plain text only. */
const isPlain = ({ plain }: Pick<RunFlags, 'plain'>, env: NodeJS.ProcessEnv): boolean =>
  plain || env['TERM'] === 'dumb' || Boolean(env['NO_COLOR'])
