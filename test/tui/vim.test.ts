/** Vim's keys in the box. `|` is the cursor. */
import { expect, test } from 'vitest'
import { InputBox } from '../../src/tui/input.ts'
import { Vim, type BoxText } from '../../src/tui/vim.ts'

function boxOf(marked: string): BoxText {
  const before = marked.slice(0, marked.indexOf('|')).split('\n')
  return {
    lines: marked.replace('|', '').split('\n'),
    line: before.length - 1,
    col: before.at(-1)?.length ?? 0,
  }
}

const marked = ({ lines, line, col }: BoxText): string =>
  lines.with(line, `${lines[line]?.slice(0, col)}|${lines[line]?.slice(col)}`).join('\n')

/** Types in normal mode. */
function typed(start: string, keys: string): string {
  const vim = new Vim()
  vim.mode = 'normal'
  let box = boxOf(start)
  for (const key of keys) {
    const step = vim.take(key, box)
    if (step?.kind === 'text') box = step
  }
  return `${vim.mode} ${marked(box)}`
}

test.each([
  ['h', 'ab|c', 'normal a|bc'],
  ['l', 'a|bc', 'normal ab|c'],
  ['l', 'ab|c', 'normal ab|c'],
  ['j', 'a|b\ncd', 'normal ab\nc|d'],
  ['k', 'abcd\nef|g', 'normal ab|cd\nefg'],
  ['w', '|one, two', 'normal one|, two'],
  ['www', '|one, two\nthree', 'normal one, two\n|three'],
  ['b', 'one two |three', 'normal one |two three'],
  ['b', 'one\n|two', 'normal |one\ntwo'],
  ['e', '|one two', 'normal on|e two'],
  ['ee', '|one two', 'normal one tw|o'],
  ['0', 'one t|wo', 'normal |one two'],
  ['$', '|one two', 'normal one tw|o'],
  ['gg', 'one\nt|wo', 'normal |one\ntwo'],
  ['G', 'o|ne\ntwo', 'normal one\n|two'],
  ['x', 'o|ne', 'normal o|e'],
  ['x', 'on|e', 'normal o|n'],
  ['x', 'a|👨‍👩‍👧b', 'normal a|b'],
  ['x', 'a|[paste #1 +48 lines]b', 'normal a|b'],
  ['dd', 'one\nt|wo\nthree', 'normal one\n|three'],
  ['dd', 'one\nt|wo', 'normal |one'],
  ['dd', 'o|ne', 'normal |'],
  ['ddp', '|one\ntwo', 'normal two\n|one'],
  ['D', 'one| two', 'normal on|e'],
  ['cc', 'one\nt|wo', 'insert one\n|'],
  ['C', 'one| two', 'insert one|'],
  ['dw', '|one two', 'normal |two'],
  ['cw', '|one two', 'insert | two'],
  ['db', 'one |two', 'normal |two'],
  ['xp', '|ab', 'normal b|a'],
  ['i', 'a|b', 'insert a|b'],
  ['a', 'a|b', 'insert ab|'],
  ['I', '  one t|wo', 'insert   |one two'],
  ['A', 'o|ne', 'insert one|'],
  ['o', 'o|ne\ntwo', 'insert one\n|\ntwo'],
  ['O', 'o|ne\ntwo', 'insert |\none\ntwo'],
  ['dj', 'o|ne\ntwo', 'normal o|ne\ntwo'],
  ['gx', 'o|ne', 'normal o|ne'],
  ['q/:"', 'o|ne', 'normal o|ne'],
])('%s on %j', (keys, start, wanted) => {
  expect(typed(start, keys)).toBe(wanted)
})

test('in the editor: one undo for each command, insert mode is its own, Enter sends and begins in insert mode', () => {
  const box = new InputBox({ rows: 24, redraw: () => {} })
  const sent: string[] = []
  box.onSubmit = (text) => void sent.push(text)
  box.useKeys('vim')
  const type = (keys: string): void => [...keys].forEach((key) => box.type(key))

  type('one two')
  expect([box.mode, box.leaveInsert(), box.mode, box.leaveInsert()]).toEqual([
    'insert',
    true,
    'normal',
    false,
  ])
  type('0dwx')
  expect(box.text).toBe('wo')
  type('uu')
  expect(box.text).toBe('one two')
  type('A three')
  box.leaveInsert()
  type('ddifour')
  expect([box.text, box.mode]).toEqual(['four', 'insert'])
  box.leaveInsert()
  box.type('\r')

  expect([sent, box.mode, box.isEmpty]).toEqual([['four'], 'insert', true])
})

test('without them the keys are letters', () => {
  const box = new InputBox({ rows: 24, redraw: () => {} })

  box.type('d')

  expect([box.text, box.mode, box.leaveInsert()]).toEqual(['d', undefined, false])
})
