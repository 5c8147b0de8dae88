/**
 * node-llama-cpp with nothing of ours around it, in a process of its own: what the embedded engine could reach at best
 * without going round the library. Started by embedded-server.ts, which sends prompts and gets the text token by token.
 */
import { getLlama, LlamaLogLevel } from 'node-llama-cpp'

export type AloneAnswer =
  | { readonly type: 'ready' }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'end'; readonly prompt: number; readonly completion: number }

const [modelPath = '', window = '4096'] = process.argv.slice(2)
const llama = await getLlama({ build: 'never', gpu: false, maxThreads: 1, logLevel: LlamaLogLevel.error })
const model = await llama.loadModel({ modelPath, gpuLayers: 0 })
const context = await model.createContext({ contextSize: Number(window), sequences: 1, threads: 1 })
const sequence = context.getSequence()
const send = (answer: AloneAnswer): void => void process.send?.(answer)

process.on('message', ({ text, most }: { readonly text: string; readonly most: number }) => {
  void write(text, most)
})
send({ type: 'ready' })

async function write(text: string, most: number): Promise<void> {
  const tokens = model.tokenize(`<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`, true)
  await sequence.clearHistory()
  let completion = 0
  for await (const token of sequence.evaluate(tokens, { temperature: 0 })) {
    send({ type: 'text', text: model.detokenize([token]) })
    if (++completion >= most) break
  }
  send({ type: 'end', prompt: tokens.length, completion })
}
