/** A change that a reply only shows becomes the call it means, where it was asked for and can be read without doubt. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { says, scriptedModel } from '../../src/provider/scripted.ts'
import { tempProject } from '../support/project.ts'
import { ofType, run } from '../support/run.ts'

const before =
  'export const limit = 10\nexport const name = "a"\nexport const size = 3\nexport const unit = "px"\n'
const after = before.replace('10', '20')
const prompt = 'Change limit to 20 in src/a.js.'

async function shown(text: string, asked = prompt) {
  const cwd = await tempProject({ 'src/a.js': before })
  const replies = Array.from({ length: 8 }, () => [says('limit is 20 in src/a.js now.')])
  const events = await run(scriptedModel([says(text)], ...replies), cwd, { prompt: asked })
  const calls = ofType(events, 'tool-start').map(({ call }) => call.name)
  return { calls, file: await readFile(join(cwd, 'src/a.js'), 'utf8') }
}

test('a change in words is made', async () => {
  expect(await shown('In src/a.js, change `limit = 10` to `limit = 20`.')).toEqual({
    calls: ['edit_file'],
    file: after,
  })
})

test.each([
  ['a piece of a file', 'src/a.js:\n\n```js\nexport const limit = 20\n```', prompt],
  ['an elided file', `src/a.js:\n\n\`\`\`js\nexport const limit = 20\n// ... rest unchanged\n\`\`\``, prompt],
  [
    'what nobody asked for',
    `src/a.js:\n\n\`\`\`js\n${after}\`\`\``,
    'How would I change limit to 20 in src/a.js?',
  ],
])('%s stays words', async (_what, text, asked) => {
  expect((await shown(text, asked)).file).toBe(before)
})
