import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findImages } from '../../src/context/images.ts'

let folder: string
const bytes = {
  'a.png': [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1],
  'b.dat': [0xff, 0xd8, 0xff, 0xe0],
  'c.gif': [...Buffer.from('GIF89a!')],
  'd.webp': [...Buffer.from('RIFF1234WEBPVP8 ')],
  'e.png': [...Buffer.from('#!/bin/sh')],
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'images-'))
  for (const [name, content] of Object.entries(bytes))
    await writeFile(join(folder, name), Buffer.from(content))
  await writeFile(join(folder, 'huge.png'), Buffer.alloc(10 * 1024 * 1024 + 1))
})
afterAll(() => rm(folder, { recursive: true }))

const read = (path: string) => readFile(join(folder, path)).catch(() => undefined)

test('images are found by their words and told by their bytes', async () => {
  const text =
    '[Image: a.png] beside [Image: b.dat], [Image: c.gif], [Image: d.webp] and again [Image: a.png]'

  const { images, warnings } = await findImages(text, true, read)

  expect(images.map(({ mediaType, path }) => [path, mediaType])).toEqual([
    ['a.png', 'image/png'],
    ['b.dat', 'image/jpeg'],
    ['c.gif', 'image/gif'],
    ['d.webp', 'image/webp'],
  ])
  expect(images[0]?.base64).toBe(Buffer.from(bytes['a.png']).toString('base64'))
  expect(warnings).toEqual([])
})

test('what is no image, too large or missing stays text, with a word why', async () => {
  const { images, warnings } = await findImages(
    '[Image: e.png] [Image: huge.png] [Image: gone.png]',
    true,
    read,
  )

  expect(images).toEqual([])
  expect(warnings).toEqual([
    'e.png is sent as text: it is no PNG, JPEG, GIF or WebP image.',
    'huge.png is sent as text: it is larger than 10 MiB.',
    'gone.png is sent as text: it cannot be read.',
  ])
})

test('nothing is read for a model that cannot see', async () => {
  const found = await findImages('[Image: a.png]', false, () => Promise.reject(new Error('was read')))

  expect(found).toEqual({ images: [], warnings: ['a.png is sent as text: this model cannot see images.'] })
})

test('a text that names more images than any model looks at is not read for all of them', async () => {
  const text = Array.from({ length: 25 }, (_, at) => `[Image: ${at}.png]`).join(' ')
  const asked: string[] = []

  const { warnings } = await findImages(text, true, async (path) => void asked.push(path))

  expect(asked).toHaveLength(20)
  expect(warnings.at(-1)).toBe('5 more images are sent as text: 20 are the most at once.')
})
