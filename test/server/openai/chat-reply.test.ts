/** Chunks whose frame is written once say the same as those that are written whole. */
import { expect, test } from 'vitest'
import { ChoiceStream } from '../../../src/server/openai/chat-reply.ts'

test.each(['plain', 'a "content":"" in it', '\\"content\\":""', 'ключ'])(
  'text is sent in chunks of the model %j, whatever is in either',
  (model) => {
    const stream = new ChoiceStream({ id: 'chatcmpl-1', created: 7, model }, 2)
    const texts = ['first', 'line\n"quoted" \\ \u2028', '"content":""', '🐑', '']

    const parts = texts.flatMap((text) => stream.take({ type: 'text-delta', text }))

    const chunk = (delta: object) => ({
      id: 'chatcmpl-1',
      created: 7,
      model,
      object: 'chat.completion.chunk',
      choices: [{ index: 2, delta, logprobs: null, finish_reason: null }],
    })
    expect(parts.map(({ data }) => JSON.parse(data) as unknown)).toEqual([
      chunk({ role: 'assistant', content: 'first' }),
      ...texts.slice(1).map((content) => chunk({ content })),
    ])
  },
)
