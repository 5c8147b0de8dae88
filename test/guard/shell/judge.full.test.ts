/** What is taken for harmless is run by a real bash, thousands of times, and must leave nothing behind. */
import * as fc from 'fast-check'
import { readdir } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { judgeCommand } from '../../../src/guard/shell/judge.ts'
import { tempProject } from '../../support/project.ts'
import { missing, named, patient, sandboxed } from '../with-sandbox.ts'
import { runs } from '../../support/runs.ts'

const words = (text: string): readonly string[] => text.split(' ')

const readers = words('ls echo cat true printf sort sed awk grep find head uniq test')
const pieces = [
  ...readers,
  ...words(
    'touch\u00A0MK >MK >>MK &>MK |tee\u00A0MK ;touch\u00A0MK &&touch\u00A0MK $(touch\u00A0MK) `touch\u00A0MK` <(touch\u00A0MK)',
  ),
  ...words(
    "-o -oMK --output=MK w\u00A0MK 'w\u00A0MK' 's/a/b/w\u00A0MK' -n -e -- ' \" \\ # ! { } ( ) | || && & ; << <<A <<< < >",
  ),
  ...words(
    'x f * -fprint\u00A0MK -exec\u00A0touch\u00A0MK\u00A0; -delete \'{print>"MK"}\' \'BEGIN{system("touch\u00A0MK")}\'',
  ),
  ...words(
    '$x "$x" "a$" ~ a=b if then fi do done while [[ ]] [ ] time command eval env xargs 2>&1 >&MK <>MK >|MK {a,b} 1,5p',
  ),
  '\n',
  '\n A\n',
  '\t',
  '\r',
  '\\\n',
].map((piece) => piece.replaceAll('\u00A0', ' '))

const sedPieces = words(
  's / | w\u00A0MK wMK e\u00A0touch\u00A0MK p d n N g G x 1 $ 1,3 /a/ \\ [ [^ ] [[:alpha:] { } ; # ! y b t :a q r\u00A0f i\\ I M 0~2 +1 & \\1 W\u00A0MK s/a/b/',
).map((piece) => piece.replaceAll('\u00A0', ' '))
const awkPieces = words(
  '{ } print printf "MK" > >> | "touch\u00A0MK" / /a/ a $1 ( ) , ; BEGIN END system("touch\u00A0MK") getline + ++ == = ? : && || ! ~ [ ] 1 # \\ if else in @ " /#/ /"/ 1system("touch\u00A0MK") length if(1) return',
).map((piece) => piece.replaceAll('\u00A0', ' '))

const joined = (from: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.constantFrom(...from), fc.constantFrom('', ' ', ' ')), { minLength: 1, maxLength: 9 })
    .map((all) => all.map(([piece, gap]) => piece + gap).join(''))

const quoted = (text: string): string => `'${text.replaceAll("'", '')}'`

const lines: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(fc.constantFrom(...readers), joined(pieces)).map(([reader, rest]) => `${reader} ${rest}`),
  joined(sedPieces).map((script) => `sed ${quoted(script)} f`),
  fc
    .tuple(joined(sedPieces), joined(sedPieces))
    .map(([one, two]) => `sed -n -e ${quoted(one)} -e ${quoted(two)} f`),
  joined(awkPieces).map((program) => `awk ${quoted(program)} f`),
)

const RUN_ALL = `while read -r line; do rm -rf /tmp/w; mkdir /tmp/w; cd /tmp/w; printf 'a b\\nx a\\n' > f
command=$(echo "$line" | base64 -d; echo x); timeout 1 bash -c "\${command%x}" </dev/null >/dev/null 2>&1
[ "$(ls -A /tmp/w)" = f ] || printf '%q\\n' "$command"; done < rows; echo done`

describe.skipIf(missing !== undefined)(named('commands that would run without a question'), () => {
  test('write nothing when bash runs them', async () => {
    const all = fc.sample(lines, { numRuns: runs(8_000, 40_000), seed: 20_261_115 })
    const judged = await Promise.all(all.map((line) => judgeCommand(line, { allow: readers })))
    const passed = all.filter(
      (_, index) => judged[index]?.verdict === 'allow' || judged[index]?.kind === 'read-only',
    )
    const rows = passed.slice(0, runs(800, 4_000)).map((line) => `${Buffer.from(line).toString('base64')}\n`)
    const cwd = await tempProject({ rows: rows.join('') })
    const exec = await sandboxed(cwd)

    const { output } = await exec.shell(RUN_ALL, patient({ timeoutMs: 500_000 }))

    expect(rows.length).toBeGreaterThan(runs(200, 1_000))
    expect(output).toBe('done\n')
    expect(await readdir(cwd)).toEqual(['rows'])
  })
})
