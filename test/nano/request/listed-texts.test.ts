import { expect, test } from 'vitest'
import { listedTexts } from '../../../src/nano/request/listed-texts.ts'

test.each([
  ['prepare a.md with two lines, "- run tests" and "- build apk".', '- run tests\n- build apk'],
  ['create .gitignore with two lines, build/ and tests/out/.', 'build/\ntests/out/'],
  ['a .gitignore having build/ and app.apk on two lines', 'build/\napp.apk'],
  [
    "c.yml with the three lines 'form: IC', 'keys: [id]' and 'v: 1'. When it is there, check",
    'form: IC\nkeys: [id]\nv: 1',
  ],
  ['add the lines "a, b" and "c" to notes.md', 'a, b\nc'],
  [
    'new a.env: HOST=dohle, IP=10.20.4.42, ROLE=mon, a line each, nothing else',
    'HOST=dohle\nIP=10.20.4.42\nROLE=mon',
  ],
  ['append two rows to stock.csv: "x,1" and "y,2"', 'x,1\ny,2'],
])('%s', (clause, text) => {
  expect(listedTexts(clause)).toBe(text)
})

test.each([
  'make a.txt with the line "x" and b.txt with "y"',
  'add two lines about the party',
  'append three lines: a and b',
  'show me the first two lines of a.txt and b.txt, c.txt',
  'add the lines about rent and tax',
  'keys.md with two lines, first "# Keys" and second "- spare key"',
])('not clear: %s', (clause) => {
  expect(listedTexts(clause)).toBeUndefined()
})
