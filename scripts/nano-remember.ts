/**
 * Replies of the bundled model kept in a file, so that after a change of the rules around it only what it has not been asked before is
 * asked. For measurements: a request too long for the window is taken as if it fitted.
 */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { NanoEngine, NanoReply } from '../src/nano/weights/engine.ts'

/** A file belongs to one version of the weights. */
export function rememberReplies(engine: NanoEngine, file: string): NanoEngine {
  const known = new Map<string, unknown>(
    (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []).flatMap((line) => readLine(line)),
  )
  const remembered = async <Value>(
    key: string,
    ask: () => Promise<Value | undefined>,
  ): Promise<Value | undefined> => {
    const id = createHash('sha1').update(key).digest('base64url')
    if (known.has(id)) return known.get(id) as Value
    const value = await ask()
    if (value !== undefined) {
      known.set(id, value)
      appendFileSync(file, `${JSON.stringify([id, value])}\n`)
    }
    return value
  }
  return {
    ...engine,
    reply: (wish, signal) =>
      remembered<NanoReply>(`${JSON.stringify(wish.prompt(() => 0))}\n${wish.grammar}`, () =>
        engine.reply(wish, signal),
      ),
    score: (prompt, fields, signal) =>
      remembered(JSON.stringify([prompt, fields]), () => engine.score(prompt, fields, signal)),
  }
}

/** The last line may have been cut off. */
function readLine(line: string): [string, unknown][] {
  try {
    return line === '' ? [] : [JSON.parse(line) as [string, unknown]]
  } catch {
    return []
  }
}
