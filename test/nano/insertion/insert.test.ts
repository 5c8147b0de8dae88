import { describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/nano/decide.ts'
import { insertionOf, withInsertion } from '../../../src/nano/insertion/insert.ts'
import type { NanoStep } from '../../../src/nano/steps/run.ts'
import { type NanoTool, nanoTools } from '../../../src/nano/weights/tools.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

const texts = {
  'CHANGELOG.md':
    '# Changelog\n\n## Unreleased\n\n- Editor remembers the scroll position\n\n## 0.8.2 - 2024-05-02\n\n- Fixed tray icon\n- Updated Electron\n\n## 0.8.1\n\n- French locale\n',
  'NEWS.md': '# News\n\n## Next\n\n## 1.4.2\n\n- Faster list\n\n### Known bugs\n\n- Map is slow\n',
  'notes/2025-09-12.md':
    '# Friday 12 September 2025\n\n## Winch\n\n- Load cell shows 12 kg with nothing on the hook.\n- Drum greased.\n\n## Open questions\n\n1. Who pays the pilot?\n2. When do we sail?\n\n## Next watch\n\n- Grease the sheave block.\n',
  'locales/fr.json':
    '{\n  "cart.title": "Panier",\n  "cart.checkout": "Payer",\n  "dialog.cancel": "Annuler"\n}\n',
  'letters/year_end_request.txt':
    'Dear Sir,\n\nWould you kindly let me have:\n- bank statements\n- mileage record\n\nYours,\nI. Pemberton\n',
  'contacts.txt': 'ICU desk        x2201\nER desk         x2100\n',
  'ideas.txt': 'IDEAS (the good ones)\n- naval combat\n- night cycle\n',
  '.golangci.yml':
    'linters:\n  enable:\n    - govet\n    - unused\n  disable:\n    - lll\nrun:\n  timeout: 5m\n',
  'orders/fish.txt':
    'SUPPLIER: Dunmore Fish\n\n- hake fillet 6kg\n- salt cod 2kg\n- mackerel 2kg\n\nRing if short.\n',
  'docs/vlan-plan.md':
    '| id | name | net |\n|----|------|-----|\n| 40 | voice | 10.40.0.0/16 |\n| 50 | medical | 10.50.0.0/16 |\n',
  'src/main.rs': 'mod config;\nmod parser;\n\nfn main() {\n    parser::run();\n}\n',
  'src/clock.c': 'void clock_init(void)\n{\n    PWR_CR |= PWR_CR_DBP;\n    RCC_CSR |= RCC_CSR_LSEON;\n}\n',
  'ClaimStatus.java': 'public enum ClaimStatus {\n    NEW,\n    REJECTED,\n    CLOSED\n}\n',
  'prices/2025.yaml': 'currency: EUR\nmonthly:\n  a1: 82\n  b2: 94\npayment_day: 5\n',
  'hall/bookings.csv': 'date,who,price\n2025-12-13,Scouts,40\n2025-12-14,Choir,35\n',
  'todo.md': '# Todo\n\n- [ ] call Ann\n- [x] lunch\n- [ ] book the hall\n',
  'handover.txt': 'Bed 5:\n\nBed 6:\n\nNight staff: Aoife\n',
  'TODO.md': '- [ ] call Ann\n- [x] lunch with Ben\n',
  'Cargo.toml': '[package]\nname = "x"\n\n[dependencies]\nserde = "1"\ntokio = "1"\n',
  'package.json':
    '{\n  "scripts": {\n    "build": "tsc",\n    "test": "vitest"\n  },\n  "tags": [\n    "a",\n    "b"\n  ]\n}\n',
  'board.md': '# Board\n\n## Tasks\n\n- milk\n- Friday: call Ann\n\n## Done\n\n## Links\n\n- milk\n',
  'run.py': 'import os\nimport sys\n\ndef main():\n    run()\n    return 0\n',
  'install.sh': '#!/bin/sh\nset -e\nnpm install\n',
  'app.yml': 'owners: joost, marek\nservices:\n  web:\n    image: nginx\n',
  'shop/list.txt': 'milk\r\nbread\r\ntea\r\n',
}
type Path = keyof typeof texts

const put = (clause: string, path: Path, content?: string): unknown => {
  const found = insertionOf({ clause, path, text: texts[path], ...(content !== undefined && { content }) })
  return found && { old: found.old, new: found.new }
}

describe('a line goes where it is said', () => {
  test.each<[string, Path, { old: string; new: string }]>([
    [
      'put - Sidebar is a bit wider under Unreleased in the changelog',
      'CHANGELOG.md',
      {
        old: '- Editor remembers the scroll position',
        new: '- Editor remembers the scroll position\n- Sidebar is a bit wider',
      },
    ],
    [
      'add "- Sidebar is wider" as the last point of 0.8.2',
      'CHANGELOG.md',
      { old: '- Updated Electron', new: '- Updated Electron\n- Sidebar is wider' },
    ],
    [
      'Add "- Sidebar is wider" under Unreleased, as the first bullet.',
      'CHANGELOG.md',
      {
        old: '- Editor remembers the scroll position',
        new: '- Sidebar is wider\n- Editor remembers the scroll position',
      },
    ],
    [
      'put "Sidebar is wider" directly below the heading Unreleased',
      'CHANGELOG.md',
      {
        old: '- Editor remembers the scroll position',
        new: '- Sidebar is wider\n- Editor remembers the scroll position',
      },
    ],
    [
      'insert the heading "## 0.9.0" directly above 0.8.2',
      'CHANGELOG.md',
      { old: '## 0.8.2 - 2024-05-02', new: '## 0.9.0\n\n## 0.8.2 - 2024-05-02' },
    ],
    ['under Next add: - Dark mode', 'NEWS.md', { old: '## Next', new: '## Next\n\n- Dark mode' }],
    [
      "In Friday's note, right after the line about the load cell, put in: - Offset is the same after one hour.",
      'notes/2025-09-12.md',
      {
        old: '- Load cell shows 12 kg with nothing on the hook.',
        new: '- Load cell shows 12 kg with nothing on the hook.\n- Offset is the same after one hour.',
      },
    ],
    [
      'under the heading Open questions add "Who cooks?"',
      'notes/2025-09-12.md',
      { old: '2. When do we sail?', new: '2. When do we sail?\n3. Who cooks?' },
    ],
    [
      'below the drum entry under winch put\n- Cable spooled again.',
      'notes/2025-09-12.md',
      { old: '- Drum greased.', new: '- Drum greased.\n- Cable spooled again.' },
    ],
    [
      'ok fr.json is missing a key, add "update.available": "La version {version}" at the end after dialog.cancel',
      'locales/fr.json',
      {
        old: '  "dialog.cancel": "Annuler"',
        new: '  "dialog.cancel": "Annuler",\n  "update.available": "La version {version}"',
      },
    ],
    [
      'pls put "cart.empty": "Vide", right below cart.title there',
      'locales/fr.json',
      { old: '  "cart.title": "Panier",', new: '  "cart.title": "Panier",\n  "cart.empty": "Vide",' },
    ],
    [
      'insert "cart.name": "Nom" before the key cart.title',
      'locales/fr.json',
      { old: '  "cart.title": "Panier",', new: '  "cart.name": "Nom",\n  "cart.title": "Panier",' },
    ],
    [
      'Insert "- loan statements" immediately after "- mileage record" in the year end request.',
      'letters/year_end_request.txt',
      { old: '- mileage record', new: '- mileage record\n- loan statements' },
    ],
    [
      'add "- loan statements" above the line about mileage',
      'letters/year_end_request.txt',
      { old: '- mileage record', new: '- loan statements\n- mileage record' },
    ],
    [
      "put '# Night ops contacts' on top of contacts.txt",
      'contacts.txt',
      { old: 'ICU desk        x2201', new: '# Night ops contacts\nICU desk        x2201' },
    ],
    [
      'put "- kraken faction" at the top of the ideas list',
      'ideas.txt',
      { old: '- naval combat', new: '- kraken faction\n- naval combat' },
    ],
    [
      'put "    - errorlint" after unused in the golangci file',
      '.golangci.yml',
      { old: '    - unused', new: '    - unused\n    - errorlint' },
    ],
    [
      'add "errorlint" under enable in the golangci file',
      '.golangci.yml',
      { old: '    - unused', new: '    - unused\n    - errorlint' },
    ],
    [
      'put - oysters 60 each in the fish order under salt cod',
      'orders/fish.txt',
      { old: '- salt cod 2kg', new: '- salt cod 2kg\n- oysters 60 each' },
    ],
    [
      'vlan plan: add row | 60 | guest | 10.60.0.0/16 | after 50',
      'docs/vlan-plan.md',
      {
        old: '| 50 | medical | 10.50.0.0/16 |',
        new: '| 50 | medical | 10.50.0.0/16 |\n| 60 | guest | 10.60.0.0/16 |',
      },
    ],
    [
      'put `mod stats;` as the line after `mod parser;` in main.rs',
      'src/main.rs',
      { old: 'mod parser;', new: 'mod parser;\nmod stats;' },
    ],
    [
      'In src/clock.c, directly in front of "RCC_CSR |= RCC_CSR_LSEON;", insert a line "RCC_CSR |= (2u << 11);" with the same indentation.',
      'src/clock.c',
      {
        old: '    RCC_CSR |= RCC_CSR_LSEON;',
        new: '    RCC_CSR |= (2u << 11);\n    RCC_CSR |= RCC_CSR_LSEON;',
      },
    ],
    [
      'Enter in the hall bookings, after the Scouts row: "2025-12-20,Nativity,0"',
      'hall/bookings.csv',
      { old: '2025-12-13,Scouts,40', new: '2025-12-13,Scouts,40\n2025-12-20,Nativity,0' },
    ],
    [
      'add "- [ ] order cake" below lunch',
      'todo.md',
      { old: '- [x] lunch', new: '- [x] lunch\n- [ ] order cake' },
    ],
    [
      'put "order cake" in right under the lunch line',
      'todo.md',
      { old: '- [x] lunch', new: '- [x] lunch\n- [ ] order cake' },
    ],
    [
      'put `rand = "0.8"` under [dependencies]',
      'Cargo.toml',
      { old: 'tokio = "1"', new: 'tokio = "1"\nrand = "0.8"' },
    ],
    [
      'add "lint": "oxlint" under scripts',
      'package.json',
      { old: '    "test": "vitest"', new: '    "test": "vitest",\n    "lint": "oxlint"' },
    ],
    ['add "c" after b in the tags', 'package.json', { old: '    "b"', new: '    "b",\n    "c"' }],
    ['put "- Map is fast" under Done', 'board.md', { old: '## Done', new: '## Done\n\n- Map is fast' }],
    ['put "bread" under the heading Done', 'board.md', { old: '## Done', new: '## Done\n\n- bread' }],
    [
      'add "- rice" after milk in the tasks',
      'board.md',
      { old: '## Tasks\n\n- milk', new: '## Tasks\n\n- milk\n- rice' },
    ],
    ['put "import re" before import sys', 'run.py', { old: 'import sys', new: 'import re\nimport sys' }],
    [
      'add "setup()" right below def main():',
      'run.py',
      { old: 'def main():', new: 'def main():\n    setup()' },
    ],
    ['add "sugar" below bread', 'shop/list.txt', { old: 'bread', new: 'bread\r\nsugar' }],
  ])('%s', (clause, path, edit) => {
    expect(put(clause, path)).toEqual(edit)
    expect(texts[path].split(edit.old)).toHaveLength(2)
  })
})

describe('a text without quotes ends where the model said', () => {
  test.each<[string, Path, string, { old: string; new: string }]>([
    [
      'add a first line to the ideas file that says TOP SECRET',
      'ideas.txt',
      'TOP SECRET',
      { old: 'IDEAS (the good ones)', new: 'TOP SECRET\nIDEAS (the good ones)' },
    ],
    [
      'in the enum add WITHDRAWN after CLOSED',
      'ClaimStatus.java',
      'WITHDRAWN',
      { old: '    CLOSED', new: '    CLOSED,\n    WITHDRAWN' },
    ],
    [
      'in the 2025 prices under b2 put c1: 99 with the same spaces',
      'prices/2025.yaml',
      'c1: 99',
      { old: '  b2: 94', new: '  b2: 94\n  c1: 99' },
    ],
    [
      'put two more bed lines, "Bed 7:" and "Bed 8:", after "Bed 6:"',
      'handover.txt',
      'Bed 7:\nBed 8:',
      { old: 'Bed 6:', new: 'Bed 6:\nBed 7:\nBed 8:' },
    ],
    [
      'govet is there, staticcheck has to go right under govet',
      '.golangci.yml',
      '- staticcheck',
      { old: '    - govet', new: '    - govet\n    - staticcheck' },
    ],
  ])('%s', (clause, path, content, edit) => {
    expect(put(clause, path, content)).toEqual(edit)
  })
})

describe('nothing is inserted where the place or the text is open', () => {
  test.each<[string, Path, string?]>([
    ['add "- [ ] buy milk" at the end of todo.md', 'todo.md'],
    ['add - [ ] buy milk before lunch to the todo', 'todo.md', '- [ ] buy milk before lunch'],
    ['add "- [ ] buy milk" to the todo, after that run the tests', 'todo.md'],
    ['add "- [ ] buy milk" to the todo before you call Ann', 'todo.md'],
    ['put "- [ ] buy milk" under the todo', 'todo.md'],
    ['add "- [ ] buy milk" under Groceries', 'todo.md'],
    ['append the following to the todo: - [ ] everything under 10 kg', 'todo.md'],
    ['move "- French locale" under Unreleased', 'CHANGELOG.md'],
    ['change "Fixed tray icon" under 0.8.2 to "Fixed menu icon"', 'CHANGELOG.md'],
    ['do not put "- x is y" under Unreleased', 'CHANGELOG.md'],
    ['put "- Sidebar is wider" after Unreleased', 'CHANGELOG.md'],
    ['add "- Sidebar" and "- Toolbar" under Unreleased', 'CHANGELOG.md'],
    ['put a comma after Panier', 'locales/fr.json', 'a comma'],
    ['add "Panier vide" after cart.title', 'locales/fr.json'],
    ['insert "cart.checkout": "Encaisser" below cart.title', 'locales/fr.json'],
    ['add "2025-12-20,Nativity" below the Scouts row', 'hall/bookings.csv'],
    ['insert "x100" after desk', 'contacts.txt'],
    ['write notes about the folder under src: - "main.rs" is the entry', 'src/main.rs'],
    ['add "two lines" two lines below bread', 'shop/list.txt'],
    ['put "new one" in the second place after "Who pays the pilot?"', 'notes/2025-09-12.md'],
    ['put "- [ ] order cake" below lunch with Ben and Ann', 'TODO.md'],
    ['put "- rice" under milk', 'board.md'],
    ['add - ring Ann before Friday', 'board.md', '- ring Ann before Friday'],
    ['put "2 litres" after bread', 'shop/list.txt'],
    ['add "(organic)" after bread', 'shop/list.txt'],
    ['put "sudo" before npm install', 'install.sh'],
    ['add --save after npm install', 'install.sh', '--save'],
    ['put "# setup" on top of install.sh', 'install.sh'],
    ['add "log()" under def main()', 'run.py'],
    ['add tom after marek in the owners', 'app.yml', 'tom'],
    ['add "x": 1 after scripts', 'package.json'],
    ['add - [ ] order cake underneath everything', 'todo.md'],
    ['put "rye" below everything else', 'shop/list.txt'],
    ['put "rye" on top of that', 'shop/list.txt'],
    ['under Tasks add: - rice and show me the board', 'board.md'],
    ['put "title" on top of locales/fr.json', 'locales/fr.json'],
  ])('%s', (clause, path, content) => {
    expect(put(clause, path, content)).toBeUndefined()
  })
})

describe('an insertion in a run', () => {
  const clause = 'put - Sidebar is a bit wider under Unreleased in the changelog'
  const append: Decision = {
    kind: 'call',
    call: {
      name: 'write_file',
      input: { path: 'CHANGELOG.md', content: '- Sidebar is a bit wider', append: true },
    },
  }
  const edit = Array.from(nanoTools.values()).filter(({ name }) => name === 'edit_file')
  const decided = async (
    decision: Decision,
    { callable = edit, steps = [] }: { callable?: NanoTool[]; steps?: NanoStep[] } = {},
  ): Promise<Decision> =>
    withInsertion(decision, {
      clause,
      files: createFiles({ root: await tempProject({ 'CHANGELOG.md': texts['CHANGELOG.md'] }) }),
      steps,
      isBegun: steps.length > 0,
      offer: { callable },
    })

  test('an append to the file becomes an edit that is asked for', async () => {
    expect(await decided(append)).toMatchObject({
      kind: 'guess',
      isLikely: false,
      call: {
        name: 'edit_file',
        input: {
          path: 'CHANGELOG.md',
          old: '- Editor remembers the scroll position',
          new: '- Editor remembers the scroll position\n- Sidebar is a bit wider',
        },
      },
    })
  })

  test('a new file, another decision and a client that cannot edit are left as they are', async () => {
    const written: Decision = {
      kind: 'call',
      call: { name: 'write_file', input: { path: 'CHANGELOG.md', content: 'x' } },
    }
    const doubt: Decision = { ...append, kind: 'doubt' }
    const elsewhere: Decision = {
      kind: 'call',
      call: { name: 'write_file', input: { path: 'other.md', content: 'x', append: true } },
    }

    expect(await decided(written)).toBe(written)
    expect(await decided(doubt)).toBe(doubt)
    expect(await decided(elsewhere)).toBe(elsewhere)
    expect(await decided(append, { callable: [] })).toBe(append)
  })
  test('a text that a step has inserted is not appended as well', async () => {
    const inserted = await decided(append)
    const call = 'call' in inserted ? inserted.call : append.call
    const step: NanoStep = { call, ok: true, text: 'edited', shown: 'edited' }

    expect(await decided(append, { steps: [step] })).toMatchObject({ kind: 'answer' })
  })
})
