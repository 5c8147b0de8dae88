/** Downloads a file in small parts. Without `through` it stops after a few and holds on to them until it is ended. */
import { join } from 'node:path'
import { download } from '../../src/models/download.ts'

const [, , url = '', folder = '', mode] = process.argv
let hasStopped = mode === 'through'

await download(
  {
    url: new URL(url),
    path: join(folder, 'model.gguf'),
    chunkBytes: 16 * 1024,
    connections: mode === 'through' ? 3 : 1,
    onProgress: ({ bytes }) => {
      // The parts before the last one are noted by now.
      if (bytes < 80 * 1024 || hasStopped) return
      hasStopped = true
      process.stdout.write('some\n')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000)
    },
  },
  new AbortController().signal,
)
