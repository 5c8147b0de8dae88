/** `covey models`: what is here, what would fit, and getting it. Downloads happen on request only, by `pull`. */
import { baseUrlOption } from './base-url.ts'
import type { Command } from './command.ts'
import type { ModelsParts } from './models/actions.ts'

export const createModelsCommand = (parts: ModelsParts = {}): Command => ({
  name: 'models',
  summary: 'List, choose, get and remove models',
  usage: '[ls | fit | pull | show | import | rm | probe] [model]',
  options: [
    { flags: '--json', description: 'print JSON; `pull` prints one line for each step' },
    baseUrlOption,
    { flags: '--window <tokens>', description: 'fit: for a window of so many tokens' },
    { flags: '--link', description: 'import: link to the file instead of copying it' },
    { flags: '--offline', description: 'pull: refuse to use the network' },
  ],
  examples: [
    'covey models                                # files on this machine and models of running servers',
    'covey models --base-url http://127.0.0.1:8080  # what this server offers',
    'covey models fit                            # what would fit, and why the rest does not',
    'covey models pull qwen3.5:4b                # the best quantisation for this machine',
    'covey models pull qwen2.5-coder:7b:q4_k_m   # exactly this one',
    'covey models pull hf:unsloth/Qwen3.5-4B-GGUF/Qwen3.5-4B-Q4_K_M.gguf',
    'covey models import ~/Downloads/model.gguf',
    'covey models show qwen3.5:4b',
    'covey models rm qwen3.5:4b:q4_k_m',
  ],
  run: async (context) => (await import('./models/actions.ts')).actOnModels(parts, context),
})
