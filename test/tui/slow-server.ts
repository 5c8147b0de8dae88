/** llama.cpp as far as a conversation needs it; a test writes the reply piece by piece. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { coveyProgram } from '../support/program.ts'

type Chunk = { readonly content?: string; readonly progress?: object }

/** Questions that say "Say it" wait in `asked` for a test to answer them. */
export async function startServer() {
  const asked: ((value: Chunk) => void)[] = []
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '')
    if (request.method === 'GET') return sendJson(response, answers[path])
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      if (path === '/tokenize') return sendJson(response, { tokens: [1, 2, 3] })
      response.setHeader('content-type', 'text/event-stream')
      const send = (value: object): void => void response.write(`data: ${JSON.stringify(value)}\n\n`)
      const say = ({ content, progress }: Chunk): void =>
        send({
          choices: [{ index: 0, delta: content === undefined ? {} : { content } }],
          ...(progress && { prompt_progress: progress }),
        })
      if (body.includes('Say it')) asked.push(say)
      else {
        say({ content: 'Yes.' })
        send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
        response.end('data: [DONE]\n\n')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return { argv: () => [process.execPath, ...coveyProgram, '--base-url', url, '--model', 'm'], asked }
}

const answers: Readonly<Record<string, object>> = {
  '/v1/models': { object: 'list', data: [{ id: 'm', object: 'model', owned_by: 'llamacpp', meta: {} }] },
  '/props': {
    default_generation_settings: { n_ctx: 8192, params: {} },
    total_slots: 1,
    model_path: '/models/m.gguf',
    chat_template: '{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}',
    build_info: 'b8200-test',
  },
  '/slots': [{ id: 0, n_ctx: 8192, is_processing: false }],
}

function sendJson(response: ServerResponse, value: object | undefined): void {
  response.writeHead(value ? 200 : 404, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value ?? { error: { message: 'not found' } }))
}
