import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findModel } from '../../src/models/find.ts'
import { tempProject } from '../support/project.ts'

test('a wish is resolved to a file of this machine', async () => {
  const home = await tempProject({ 'models/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf': 'x' })
  const place = { modelsFolder: join(home, 'models'), home, env: {}, hardware: { gpus: [] } }

  const found = await findModel('qwen2.5-coder:0.5b:4bit', place, { window: 4096 })

  expect(found).toMatchObject({
    id: 'qwen2.5-coder:0.5b:q4_k_m',
    path: join(home, 'models', 'qwen2.5-coder-0.5b-instruct-q4_k_m.gguf'),
    window: 4096,
    command: 'covey --model qwen2.5-coder:0.5b:q4_k_m --window 4096',
  })
})
