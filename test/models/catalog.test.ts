import { describe, expect, test } from 'vitest'
import { dialectFor } from '../../src/dialect/all.ts'
import { loadCatalog, parseCatalog, quantsOf } from '../../src/models/catalog.ts'

const catalog = await loadCatalog()

describe('the catalogue', () => {
  test('holds enough models, all between 0.5 and 35 billion parameters', () => {
    const sizes = catalog.map(({ parameters }) => parameters / 1e9)

    expect(catalog.length).toBeGreaterThanOrEqual(25)
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(0.45)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(35)
  })

  test('says the same of a dialect as the name of the file does', () => {
    const told = catalog.map(({ files, dialect }) => [Object.values(files)[0]?.file ?? '', dialect])

    expect(told).toEqual(told.map(([file = '']) => [file, dialectFor(file)]))
  })

  test('has files under different names, and no hash without a size', () => {
    const files = catalog.flatMap((entry) => quantsOf(entry).map((quant) => entry.files[quant]))
    const names = files.map((file) => file?.file.toLowerCase())

    expect(new Set(names).size).toBe(names.length)
    expect(files.filter((file) => file?.sha256 && !file.bytes)).toEqual([])
    expect(names.filter((name) => name?.includes('{'))).toEqual([])
  })

  test('counts no more attention layers than a model has, and no more active parameters', () => {
    const wrong = catalog.filter(({ attention, layers, active, parameters }) => {
      const counted = attention.reduce((sum, group) => sum + group.layers, 0)
      return counted > layers || active > parameters
    })

    expect(wrong.map(({ title }) => title)).toEqual([])
  })
})

const ENTRY = `
[[models]]
name = "tiny"
size = "1b"
title = "Tiny 1B"
parameters = 1.5
rank = 10
licence = "mit"
window = 8192
layers = 2
attention = [{ layers = 2, kv_heads = 1, key = 64 }]
dialect = "hermes"
emission = { base = "user-results", no_system = true }
edit_form = "whole"
fim = false
thinking = false
sampling = { temperature = 0.5 }
notes = ""
mlx = "someone/tiny-{bits}bit"
unchecked = []

[models.gguf]
repo = "someone/tiny-GGUF"
file = "tiny-{QUANT}.gguf"

[models.gguf.quants]
q4_k_m = { bytes = 9 }
q8_0 = { file = "other.gguf" }
`

describe('an entry', () => {
  test('is read with what it leaves out filled in', () => {
    expect(parseCatalog(ENTRY, 'x.toml')).toEqual([
      {
        name: 'tiny',
        size: '1b',
        title: 'Tiny 1B',
        parameters: 1.5e9,
        active: 1.5e9,
        rank: 10,
        licence: 'mit',
        window: 8192,
        layers: 2,
        attention: [{ layers: 2, kvHeads: 1, key: 64, value: 64 }],
        dialect: 'hermes',
        emission: { base: 'user-results', noSystem: true },
        editForm: 'whole',
        fim: false,
        thinking: false,
        sampling: { temperature: 0.5 },
        notes: '',
        mlx: 'someone/tiny-{bits}bit',
        unchecked: [],
        repo: 'someone/tiny-GGUF',
        revision: 'main',
        files: { q4_k_m: { file: 'tiny-Q4_K_M.gguf', bytes: 9 }, q8_0: { file: 'other.gguf' } },
      },
    ])
  })

  test.each([
    ['rank = 10', 'rank = "high"', 'x.toml: tiny:1b: rank: '],
    ['rank = 10', 'rank = 10\nranc = 3', 'x.toml: tiny:1b: Unrecognized key: "ranc"'],
    ['q8_0 =', 'q9_0 =', 'x.toml: tiny:1b: gguf.quants: Unrecognized key: "q9_0"'],
    ['file = "other.gguf"', 'file = "../other.gguf"', 'x.toml: tiny:1b: gguf.quants.q8_0.file: '],
    ['name = "tiny"', 'nam = "tiny"', 'x.toml: entry 1: name: '],
    ['title = "Tiny 1B"', 'title = "Tiny', 'x.toml: Invalid TOML document'],
  ])('with a mistake is refused: %s -> %s', (right, wrong, message) => {
    expect(() => parseCatalog(ENTRY.replace(right, wrong), 'x.toml')).toThrow(message)
  })

  test('that is there twice is refused', () => {
    expect(() => parseCatalog(ENTRY + ENTRY, 'x.toml')).toThrow('x.toml: tiny:1b: is there twice')
  })
})
