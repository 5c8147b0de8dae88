import { describe, expect, test } from 'vitest'
import { loadCatalog } from '../../src/models/catalog.ts'
import { addressSource, catalogSource, sourceSettings } from '../../src/models/source.ts'

const catalog = await loadCatalog()
const coder = catalog.find(({ name, size }) => name === 'qwen3.5' && size === '4b')!

describe('what is pulled', () => {
  test('by its place at Hugging Face', () => {
    expect(addressSource('hf:unsloth/Qwen3.5-4B-GGUF/Qwen3.5-4B-Q4_K_M.gguf', {})).toEqual({
      url: new URL('https://huggingface.co/unsloth/Qwen3.5-4B-GGUF/resolve/main/Qwen3.5-4B-Q4_K_M.gguf'),
      file: 'Qwen3.5-4B-Q4_K_M.gguf',
    })
  })

  test('in a folder and at a revision, from a mirror, with a token', () => {
    const settings = sourceSettings({ HF_ENDPOINT: 'https://mirror.example/hf/', HF_TOKEN: 'secret' })

    expect(addressSource('hf:a/b@v1.0/Q4/c.gguf', settings)).toEqual({
      url: new URL('https://mirror.example/hf/a/b/resolve/v1.0/Q4/c.gguf'),
      file: 'c.gguf',
      token: 'secret',
    })
  })

  test('by an address; the token stays at home', () => {
    const settings = { token: 'secret' }

    expect(addressSource('https://models.example/x/My%20Model.gguf?download=true', settings)).toEqual({
      url: new URL('https://models.example/x/My%20Model.gguf?download=true'),
      file: 'My Model.gguf',
    })
  })

  test('from the catalogue, at the revision its hash belongs to', () => {
    expect(catalogSource(coder, 'q4_k_m', {})).toEqual({
      url: new URL(
        'https://huggingface.co/unsloth/Qwen3.5-4B-GGUF/resolve/e87f176479d0855a907a41277aca2f8ee7a09523/Qwen3.5-4B-Q4_K_M.gguf',
      ),
      file: 'Qwen3.5-4B-Q4_K_M.gguf',
      bytes: 2_740_937_888,
      sha256: '00fe7986ff5f6b463e62455821146049db6f9313603938a70800d1fb69ef11a4',
      id: 'qwen3.5:4b:q4_k_m',
    })
  })

  test('is not taken for a URL where it looks like a name', () => {
    expect(addressSource('qwen3.5:4b', {})).toBe(undefined)
  })

  test.each([
    'hf:owner/repo',
    'hf:owner/repo/readme.md',
    'https://models.example/',
    'https://models.example/..%2F..%2Fevil.gguf',
    'https://models.example/.gguf',
    'http://',
  ])('%s is refused, because it names no model file', (text) => {
    expect(() => addressSource(text, {})).toThrow(expect.objectContaining({ code: 'config-invalid' }))
  })

  test('from a mirror whose address is none is refused', () => {
    expect(() => addressSource('hf:a/b/c.gguf', { endpoint: 'mirror' })).toThrow('HF_ENDPOINT is not a URL')
  })
})

test('an address with a password is refused, and the password is not repeated', () => {
  expect(() => addressSource('https://me:hunter2@models.example/a.gguf', {})).toThrow(
    'The address of models.example holds a password, which is not sent; leave it out.',
  )
})

test.each(['hf:a/b/..%2Fc.gguf', 'hf:a/b/My%20Model.gguf', 'https://models.example/..%2F..%2Fc.gguf'])(
  '%s names no file of the model folder',
  (text) => {
    expect(() => addressSource(text, {})).toThrow(expect.objectContaining({ code: 'config-invalid' }))
  },
)

test('a line end behind the token is no part of it', () => {
  expect(sourceSettings({ HF_TOKEN: 'secret\n' })).toEqual({ token: 'secret' })
  expect(sourceSettings({ HF_TOKEN: ' \n' })).toEqual({})
})
