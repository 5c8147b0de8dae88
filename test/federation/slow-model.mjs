// An OpenAI-compatible server that takes about a second for one sentence, so that there is time to break something.
import { createServer } from 'node:http'

const WORDS = 'The answer is 42 .'.split(' ')
const PAUSE_MS = Number(process.argv[3] ?? 200)

createServer(async (request, response) => {
  request.resume()
  if (request.url === '/v1/models') return response.end('{"data":[{"id":"m"}]}')
  if (!request.url?.endsWith('/chat/completions')) return response.writeHead(404).end('{}')
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (choice) =>
    response.write(`data: ${JSON.stringify({ id: 'x', model: 'm', choices: [choice] })}\n\n`)
  for (const word of WORDS) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    send({ index: 0, delta: { content: `${word} ` } })
  }
  send({ index: 0, delta: {}, finish_reason: 'stop' })
  response.end('data: [DONE]\n\n')
}).listen(Number(process.argv[2]), '127.0.0.1')
