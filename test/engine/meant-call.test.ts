/** A change that a reply only shows becomes the call it means, where it was asked for and can be read without doubt. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createScriptedModel, says, scriptedModel } from '../../src/provider/scripted.ts'
import { tempProject } from '../support/project.ts'
import { endOf, ofType, run } from '../support/run.ts'

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
  ['under its path', `src/a.js:\n\n\`\`\`js\n${after}\`\`\``],
  ['without a path, where the prompt names only one', `Here is the new file:\n\n\`\`\`js\n${after}\`\`\``],
  [
    'as a search and replace block',
    'src/a.js\n<<<<<<< SEARCH\nexport const limit = 10\n=======\nexport const limit = 20\n>>>>>>> REPLACE',
  ],
])('a new version of a file %s becomes the edit', async (_how, text) => {
  expect(await shown(text)).toEqual({ calls: ['edit_file'], file: after })
})

test('a change that is only ever shown is no answer', async () => {
  const cwd = await tempProject({ 'src/a.js': before })
  const model = createScriptedModel([[says('```js\nexport const limit = 20\n```')]], { repeatLast: true })

  const events = await run(model, cwd, { prompt })

  expect(endOf(events)).toMatchObject({ reason: 'no-answer', changed: [] })
})

test.each([
  ['a piece of a file', 'src/a.js:\n\n```js\nexport const limit = 20\n```', prompt],
  ['an elided file', `src/a.js:\n\n\`\`\`js\nexport const limit = 20\n// ... rest unchanged\n\`\`\``, prompt],
  [
    'an unrequested change',
    `src/a.js:\n\n\`\`\`js\n${after}\`\`\``,
    'How would I change limit to 20 in src/a.js?',
  ],
])('%s stays words', async (_what, text, asked) => {
  expect((await shown(text, asked)).file).toBe(before)
})
