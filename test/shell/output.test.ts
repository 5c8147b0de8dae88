/** Marks in a stream, and the record of what commands printed. */
import { array, assert, nat, property } from 'fast-check'
import { expect, test } from 'vitest'
import { createMarkReader, type Mark } from '../../src/shell/output/marks.ts'
import { Record } from '../../src/shell/output/record.ts'

const KEY = '0123456789abcdef0123456789abcdef'
const mark = (kind: string, status = ''): string => `\u001B]133;${kind};${KEY}${status}\u0007`

function read(...pieces: readonly (string | Buffer)[]) {
  const marks: Mark[] = []
  const screens: boolean[] = []
  const passed: Buffer[] = []
  const push = createMarkReader(KEY, {
    bytes: (bytes) => void passed.push(Buffer.from(bytes)),
    mark: (found) => void marks.push(found),
    screen: (isAlternate) => void screens.push(isAlternate),
  })
  for (const piece of pieces) {
    // The buffer is used again for what comes next.
    const shared = Buffer.from(piece)
    push(shared)
    shared.fill(0)
  }
  return { marks, screens, text: Buffer.concat(passed).toString() }
}

test('our marks are taken out, everything else passes as it is', () => {
  const foreign = '\u001B]133;A\u0007\u001B]133;D;1\u0007\u001B]0;title\u0007'

  const seen = read(`a${mark('A')}$ ${mark('B')}${foreign}${mark('C')}out\r\n${mark('D', ';2')}z`)

  expect(seen.marks).toEqual([{ kind: 'A' }, { kind: 'B' }, { kind: 'C' }, { kind: 'D', status: 2 }])
  expect(seen.text).toBe(`a$ ${foreign}out\r\nz`)
})

test('a mark with another key is output', () => {
  const forged = `\u001B]133;R;${'f'.repeat(32)}\u0007`

  expect(read(forged)).toEqual({ marks: [], screens: [], text: forged })
})

test('the alternate screen is noticed, also among other modes', () => {
  const text = 'x\u001B[?1049h\u001B[?25l\u001B[?1;1049lz'

  expect(read(text)).toEqual({ marks: [], screens: [true, false], text })
})

test('however the stream is cut, the same comes out', () => {
  const whole = `é${mark('A')}\u001B[31mred\u001B[0m${mark('D', ';130')}\u001B]133;A\u0007\u001B[?1049h\u001B]13 \u001B`
  const bytes = Buffer.from(whole)
  const expected = read(whole)

  assert(
    property(array(nat(bytes.length), { maxLength: 12 }), (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
      const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
      expect(read(...pieces)).toEqual(expected)
    }),
  )
})

test('a command is kept with folder, status and output, without escape codes', () => {
  const record = new Record()

  record.begin('make', '/work')
  record.write(Buffer.from('\u001B[31mred\u001B[0m\r\n10%\r100%\r\n\u001B]0;title\u0007done'))
  record.end(2)

  expect(record.text()).toBe('/work $ make\nred\n100%\ndone\n[exit 2]')
  expect(record.lastFailure).toEqual({
    command: 'make',
    folder: '/work',
    status: 2,
    output: 'red\n100%\ndone',
  })
})

test('what a full-screen program draws is not kept', () => {
  const record = new Record()

  record.begin('vim', '/')
  record.write(Buffer.from('before\n'))
  record.hide(true)
  record.write(Buffer.from('drawn'))
  record.hide(false)
  record.write(Buffer.from('after'))
  record.end(0)

  expect(record.text()).toBe('/ $ vim\nbefore\nafter\n[exit 0]')
})

test('of a long output head and tail are kept, and it says how much was left out', () => {
  const record = new Record()

  record.begin('seq', '/')
  for (let line = 0; line < 100_000; line++) record.write(Buffer.from(`line ${line}\n`))
  record.end(0)
  const text = record.text()

  expect(text.length).toBeLessThan(40_000)
  expect(text).toContain('line 0\n')
  expect(text).toContain('line 99999\n[exit 0]')
  expect(text).toMatch(/\n\[… \d+ bytes left out …\]\n/)
})

test('however the output is cut, the same is kept of it', () => {
  const lines = Array.from({ length: 12_000 }, (_, line) => `line ${line} ä€😀\n`).join('')
  const bytes = Buffer.from(lines)
  const recorded = (size: number): string => {
    const record = new Record()
    record.begin('seq', '/')
    const shared = Buffer.alloc(size)
    for (let at = 0; at < bytes.length; at += size) {
      const copied = bytes.copy(shared, 0, at, at + size)
      record.write(shared.subarray(0, copied))
    }
    record.end(0)
    return record.text()
  }

  const whole = recorded(bytes.length)
  const cut = [1, 7, 4_095, 24_575, 24_576, 24_577, 65_536, 100_000].map(recorded)

  expect(new Set([whole, ...cut]).size).toBe(1)
  expect(whole).toMatch(/^\/ \$ seq\nline 0 ä€😀\n/)
  expect(whole).toMatch(/\n\[… \d+ bytes left out …\]\nline \d+ ä€😀\n/)
  expect(whole.endsWith('line 11999 ä€😀\n[exit 0]')).toBe(true)
})

test('old outputs shrink first, then the oldest commands go; never more than 64 KiB', () => {
  const record = new Record()
  for (let number = 0; number < 500; number++) {
    record.begin(`command ${number}`, '/')
    record.write(Buffer.from('some words of output\n'.repeat(300)))
    record.end(0)
  }

  const text = record.text()

  expect(text.length).toBeLessThan(66 * 1024)
  expect(text).toMatch(/^\[\d+ earlier commands left out\]\n/)
  expect(text).toContain('lines left out …]')
  expect(text.endsWith('some words of output\n[exit 0]')).toBe(true)
})

test('what a failed question took comes back before what came since', () => {
  const record = new Record()
  const run = (command: string): void => {
    record.begin(command, '/')
    record.end(0)
  }

  run('first')
  const taken = record.take()
  run('second')
  taken.giveBack()

  expect(taken.text).toBe('/ $ first\n[exit 0]')
  expect(record.text()).toBe('/ $ first\n[exit 0]\n/ $ second\n[exit 0]')
})
