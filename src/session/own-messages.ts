/** What the user said in a session, read from its log: also what a compaction has replaced since. Pure. */
import { ownWords } from '../context/own-words.ts'
import type { OwnMessage } from '../protocol/back.ts'
import { type LogRecord, promptText } from './log.ts'

export async function readOwnMessages(
  batches: AsyncIterable<readonly LogRecord[]>,
): Promise<readonly OwnMessage[]> {
  const typed = new Map<string, string>()
  const said: OwnMessage[] = []
  for await (const records of batches) {
    for (const record of records) {
      if (record.type === 'prompt') typed.set(record.runId, promptText(record.input))
      if (record.type !== 'composed') continue
      const { runId, at, messages } = record
      said.push({ runId, at, text: typed.get(runId) ?? ownWords(promptText(messages)) })
    }
  }
  return said
}
