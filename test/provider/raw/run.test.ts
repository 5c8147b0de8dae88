/** Complete runs with prompts rendered here, by configuration alone. */
import { expect, test } from 'vitest'
import { startLlamaCpp } from '../../support/model-server/llama-cpp.ts'
import { startLmStudio } from '../../support/model-server/lm-studio.ts'
import { startOllama } from '../../support/model-server/ollama.ts'
import { startVllm } from '../../support/model-server/vllm.ts'
import { tempProject } from '../../support/project.ts'
import { createApp } from '../../../src/app/open.ts'
import { emptyHome, endOf, ofType, promptAndCollect, textOf } from '../../support/run.ts'

test.each([
  ['llama.cpp', startLlamaCpp, '/completion'],
  ['Ollama', startOllama, '/api/generate'],
  ['LM Studio', startLmStudio, '/v1/completions'],
  ['vLLM', startVllm, '/v1/completions'],
] as const)('on %s a run with raw prompts reads a file and answers', async (_name, start, path) => {
  const server = await start({ model: 'qwen-test' })
  const app = await createApp({
    env: await emptyHome(),
    cwd: await tempProject({ 'a.txt': 'hello heron\n' }),
    permission: 'bypass',
    incognito: true,
    model: 'mine',
    flags: {
      'arms.mine.base_url': server.url,
      'arms.mine.model': 'qwen-test',
      'arms.mine.tools': 'raw',
    },
  })
  const session = await app.openSession({ resume: 'new', canAsk: false })

  const events = await promptAndCollect(session, { prompt: 'Call read_file with {"path": "a.txt"}' })

  expect(ofType(events, 'tool-end').map(({ name, ok }) => [name, ok])).toEqual([['read_file', true]])
  expect(textOf(events)).toContain('hello heron')
  expect(endOf(events).reason).toBe('answered')
  expect(server.sent('/v1/chat/completions')).toEqual([])
  expect(server.sent(path).length).toBeGreaterThan(1)
  // Only llama.cpp takes a grammar; it allows the paths that exist.
  const [first] = server.sent(path) as readonly { readonly grammar?: string }[]
  expect(first?.grammar?.includes('"a.txt"') ?? false).toBe(path === '/completion')
  await session.close()
  await app.close()
})
