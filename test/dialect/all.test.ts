import { describe, expect, it } from 'vitest'
import { dialectFor, families, requireDialect } from '../../src/dialect/all.ts'

describe('the family of a model', () => {
  it.each([
    ['Qwen2.5-7B-Instruct', 'hermes'],
    ['Qwen3-4B-Q4_K_M.gguf', 'hermes'],
    ['Qwen_Qwen3-Coder-30B-A3B', 'qwen-xml'],
    ['Qwen3.5-4B', 'qwen-xml'],
    ['qwen2.5-coder:7b', 'fenced'],
    ['NVIDIA-Nemotron-3-Nano-30B', 'qwen-xml'],
    ['NVIDIA-Nemotron-Nano-v2', 'nemotron'],
    ['nvidia-Llama-3_3-Nemotron-Super-49B', 'nemotron'],
    ['DeepSeek-R1-Distill-Llama-8B', 'deepseek'],
    ['deepseek-ai-DeepSeek-V3.1', 'deepseek-v3.1'],
    ['deepseek-ai-DeepSeek-V3.2', 'deepseek-dsml'],
    ['NousResearch-Hermes-2-Pro-Llama-3-8B', 'hermes'],
    ['Meta-Llama-3.1-8B-Instruct', 'llama3'],
    ['Llama-4-Scout-17B', 'pythonic'],
    ['Mistral-Nemo-Instruct-2407', 'mistral-nemo'],
    ['Devstral-Small-2507', 'mistral'],
    ['gpt-oss-20b', 'harmony'],
    ['gemma-3-4b-it', 'gemma3'],
    ['gemma-4-31B-it', 'gemma'],
    ['functiongemma-270m-it', 'functiongemma'],
    ['granite-3.3-8b', 'granite3'],
    ['granite-4.0-h-tiny', 'hermes'],
    ['Phi-4-mini-instruct', 'phi4'],
    ['SmolLM3-3B', 'hermes'],
    ['covey-nano', 'hermes'],
    ['Kimi-K2-Instruct', 'kimi'],
    ['Kimi-K3', 'kimi-k3'],
    ['MiniMax-M2', 'minimax'],
    ['MiniMax-M3', 'minimax-m3'],
    ['LFM2-1.2B', 'lfm2'],
    ['GLM-4.6', 'glm'],
    ['something-else', undefined],
  ])('is found by its name: %s', (model, family) => {
    expect(dialectFor(model)).toBe(family)
  })

  it('has a name no other has', () => {
    const names = families.map(({ name }) => name)

    expect(new Set(names).size).toBe(names.length)
  })

  it('is asked for by name, with a hint when there is none', () => {
    expect(requireDialect('hermes').name).toBe('hermes')
    expect(() => requireDialect('hermse')).toThrow('No dialect is called hermse; did you mean hermes?')
  })
})
