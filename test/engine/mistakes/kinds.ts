/** Mistakes small models make in a reply that should have been one call. Each spoils a perfect call in its own way. */
import type { ServerReply } from '../../support/model-server/reply.ts'
import { type Act, B, CHANGED, PROMPT, type Spoil } from './player.ts'

const json = ({ name, args }: Act): string => JSON.stringify({ name, arguments: args })
const says = (text: string): ServerReply => ({ text })
const native = ({ name, args }: Act, raw?: string): ServerReply => ({
  calls: [{ name, arguments: raw ?? args }],
})
const withArgs = (act: Act, change: (key: string, value: string) => string): Act => ({
  ...act,
  args: Object.fromEntries(Object.entries(act.args).map(([key, value]) => [key, change(key, value)])),
})
const withPath =
  (change: (path: string) => string): Spoil =>
  (act) =>
    act.args['path'] === undefined
      ? undefined
      : native(withArgs(act, (key, value) => (key === 'path' ? change(value) : value)))
const renamed =
  (change: (name: string) => string): Spoil =>
  (act) =>
    native({ ...act, name: change(act.name) })
const only =
  (name: string, spoil: Spoil): Spoil =>
  (act, step) =>
    act.name === name ? spoil(act, step) : undefined
const python = (value: string): string =>
  `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`

/** The mistake is only in how the call is written: it must run as it was meant, without another request. */
export const written: readonly (readonly [string, Spoil])[] = [
  ['a role label before the call', (act) => says(`assistant: ${json(act)}`)],
  ['a role token before the call', (act) => says(`<|im_start|>assistant\n${json(act)}`)],
  [
    'a closing think tag before the call',
    (act) => says(`</think>\n\n<tool_call>\n${json(act)}\n</tool_call>`),
  ],
  [
    'a call as an OpenAI message',
    (act) =>
      says(
        JSON.stringify({
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: act.name, arguments: JSON.stringify(act.args) },
            },
          ],
        }),
      ),
  ],
  [
    'a call object with its id',
    (act) =>
      says(
        JSON.stringify({
          id: 'call_1',
          type: 'function',
          function: { name: act.name, arguments: JSON.stringify(act.args) },
        }),
      ),
  ],
  ['the tool name as the only key', (act) => says(JSON.stringify({ [act.name]: act.args }))],
  ['arguments beside the name', (act) => says(JSON.stringify({ tool: act.name, ...act.args }))],
  [
    'an element with attributes',
    only('read_file', ({ args }) => says(`<read_file path="${args['path']}"/>`)),
  ],
  [
    'tool_code with print',
    (act) =>
      says(
        `\`\`\`tool_code\nprint(default_api.${act.name}(${Object.entries(act.args)
          .map(([key, value]) => `${key}=${python(value)}`)
          .join(', ')}))\n\`\`\``,
      ),
  ],
  ['a byte order mark before the arguments', (act) => native(act, `\uFEFF${JSON.stringify(act.args)}`)],
  ['a byte order mark before the call', (act) => says(`\uFEFF${json(act)}`)],
  ['colours around the path', withPath((path) => `\u001B[36m${path}\u001B[0m`)],
  ['names in a namespace', renamed((name) => `functions.${name}`)],
  ['names of an api', renamed((name) => `default_api:${name}`)],
  ['names with a running number', renamed((name) => `functions.${name}:0`)],
  ['names of a server', renamed((name) => `mcp__files__${name}`)],
  ['names in capitals', renamed((name) => name.toUpperCase())],
  ['names with hyphens', renamed((name) => name.replaceAll('_', '-'))],
  ['names in words', renamed((name) => name.replaceAll('_', ' '))],
  ['names with brackets', renamed((name) => `${name}()`)],
  ['names with a channel token', renamed((name) => `${name}<|channel|>commentary`)],
  [
    'a trailing comma and a comment',
    (act) => native(act, `${JSON.stringify(act.args).slice(0, -1)}, // as asked\n}`),
  ],
  [
    'python values',
    (act) =>
      native(
        act,
        `{${Object.entries(act.args)
          .map(([key, value]) => `'${key}': ${python(value)}`)
          .join(', ')}, 'limit': None}`,
      ),
  ],
  [
    'arguments as key=value',
    (act) =>
      native(
        act,
        Object.entries(act.args)
          .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
          .join(', '),
      ),
  ],
  [
    'arguments as yaml',
    (act) =>
      Object.values(act.args).some((value) => value.includes('\n'))
        ? undefined
        : native(
            act,
            Object.entries(act.args)
              .map(([key, value]) => `${key}: ${value}`)
              .join('\n'),
          ),
  ],
  [
    'arguments as elements',
    (act) =>
      native(
        act,
        Object.entries(act.args)
          .map(([key, value]) => `<${key}>${value}</${key}>`)
          .join('\n'),
      ),
  ],
  ['arguments in a fence', (act) => native(act, `\`\`\`json\n${JSON.stringify(act.args, null, 2)}\n\`\`\``)],
  ['arguments twice', (act) => native(act, `${JSON.stringify(act.args)}${JSON.stringify(act.args)}`)],
  [
    'arguments under a schema',
    (act) => native(act, JSON.stringify({ type: 'object', properties: act.args })),
  ],
  [
    'arguments as described values',
    (act) =>
      native(
        act,
        JSON.stringify(
          Object.fromEntries(
            Object.entries(act.args).map(([key, value]) => [key, { type: 'string', value }]),
          ),
        ),
      ),
  ],
  ['the call inside its arguments', (act) => native(act, json(act))],
  ['curly quotes as JSON quotes', only('read_file', (act) => native(act, `{“path”: “${act.args['path']}”}`))],
  [
    'camelCase keys',
    (act) =>
      native({
        ...act,
        args: Object.fromEntries(
          Object.entries(act.args).map(([key, value]) => [
            { path: 'filePath', old: 'oldString', new: 'newString' }[key] ?? key,
            value,
          ]),
        ),
      }),
  ],
  [
    'keys in capitals',
    (act) =>
      native({
        ...act,
        args: Object.fromEntries(Object.entries(act.args).map(([key, value]) => [key.toUpperCase(), value])),
      }),
  ],
  [
    'keys with their type',
    (act) =>
      native({
        ...act,
        args: Object.fromEntries(Object.entries(act.args).map(([key, value]) => [`${key}:string`, value])),
      }),
  ],
  ['a line after the path', withPath((path) => (path === 'src/a.js' ? `${path}:1` : path))],
  ['a range after the path', withPath((path) => (path === 'src/a.js' ? `${path}:1-4` : path))],
  ['a hash line after the path', withPath((path) => (path === 'src/a.js' ? `${path}#L1` : path))],
  ['a link as path', withPath((path) => `[${path}](${path})`)],
  ['a path in back quotes', withPath((path) => `\`${path}\``)],
  ['a path in quotes', withPath((path) => `"${path}"`)],
  ['a path with an @', withPath((path) => `@${path}`)],
  ['a path with spaces around it', withPath((path) => ` ${path}\n`)],
  ['a path as of a diff', withPath((path) => (path === 'src/a.js' ? `a/${path}` : path))],
  ['a path as address', withPath((path) => `file://${path}`)],
  ['a path with a label', withPath((path) => `path: ${path}`)],
  ['a path with an open end', withPath((path) => `${path}<|im_end|>`)],
  [
    'content in a fence',
    only('write_file', (act) =>
      native(withArgs(act, (key, value) => (key === 'content' ? `\`\`\`js\n${value}\`\`\`` : value))),
    ),
  ],
  [
    'escaped line ends in content',
    only('write_file', (act) =>
      native(withArgs(act, (key, value) => (key === 'content' ? value.replaceAll('\n', '\\n') : value))),
    ),
  ],
  [
    'entities in content',
    only('edit_file', (act) =>
      native(withArgs(act, (_key, value) => value.replaceAll('<', '&lt;').replaceAll("'", '&#39;'))),
    ),
  ],
  [
    'escaped line ends in old and new',
    only('edit_file', (act) => native(withArgs(act, (_key, value) => value.replaceAll('\n', '\\n')))),
  ],
  [
    'diff marks in old and new',
    only('edit_file', (act) =>
      native(
        withArgs(act, (key, value) =>
          key === 'path'
            ? value
            : value
                .split('\n')
                .map((line) => `${key === 'old' ? '-' : '+'}${line}`)
                .join('\n'),
        ),
      ),
    ),
  ],
  [
    'old and new in fences',
    only('edit_file', (act) =>
      native(withArgs(act, (key, value) => (key === 'path' ? value : `\`\`\`js\n${value}\n\`\`\``))),
    ),
  ],
  [
    'a diff for old and new',
    only('edit_file', ({ name, args }) =>
      native({
        name,
        args: {
          path: args['path'] ?? '',
          diff: "@@ -1,2 +1,2 @@\n-export const limit = 10\n+export const limit = 20\n export const name = 'a < b'",
        },
      }),
    ),
  ],
  [
    'a list of edits',
    only('edit_file', ({ name, args: { path, old, new: now } }) =>
      native({ name, args: {} }, JSON.stringify({ path, edits: [{ old_string: old, new_string: now }] })),
    ),
  ],
  [
    'a search and replace block',
    only('edit_file', ({ args }) =>
      says(`${args['path']}\n<<<<<<< SEARCH\n${args['old']}\n=======\n${args['new']}\n>>>>>>> REPLACE`),
    ),
  ],
  [
    'a command as a list',
    only('run_command', ({ name, args }) =>
      native({ name, args: {} }, JSON.stringify({ command: args['command']?.split(' ') })),
    ),
  ],
  [
    'a command in a fence',
    only('run_command', (act) => native(withArgs(act, (_key, value) => `\`\`\`bash\n${value}\n\`\`\``))),
  ],
  [
    'a command behind a prompt sign',
    only('run_command', (act) => native(withArgs(act, (_key, value) => `$ ${value}`))),
  ],
  [
    'a command in a shell',
    only('run_command', (act) => native(withArgs(act, (_key, value) => `bash -lc '${value}'`))),
  ],
  [
    'a tool as a command',
    only('read_file', ({ args }) =>
      native({ name: 'run_command', args: { command: `read_file ${args['path']}` } }),
    ),
  ],
  [
    'the same call twice',
    (act) => ({
      calls: [
        { name: act.name, arguments: act.args },
        { name: act.name, arguments: act.args },
      ],
    }),
  ],
  [
    'a call and an invented result',
    (act) =>
      says(
        `<tool_call>\n${json(act)}\n</tool_call>\n<tool_response>\nall fine, CHECK passed\n</tool_response>\nEverything is done.`,
      ),
  ],
  [
    'a call and the next user turn',
    (act) => says(`<tool_call>\n${json(act)}\n</tool_call>\nUser: thanks!\nAssistant: You are welcome.`),
  ],
  [
    'an action line',
    (act) => says(`Thought: I need this.\nAction: ${act.name}\nAction Input: ${JSON.stringify(act.args)}`),
  ],
]

/** Nothing can be read from it, or it must not be taken for one: the model is asked again, and the run goes on. */
export const lost: readonly (readonly [string, Spoil])[] = [
  ['colours around the call', (act) => says(`\u001B[32m${json(act)}\u001B[0m`)],
  ['yaml as a call', only('read_file', ({ name, args }) => says(`tool: ${name}\npath: ${args['path']}`))],
  ['asks whether to proceed', () => says('I have a plan for this. Shall I proceed?')],
  ['apologises', () => says('I apologize for the confusion. Let me try again.')],
  ['says it has no access', () => says("I'm sorry, but as an AI language model I cannot access your files.")],
  ['claims to be done', () => says('All changes have been made and the check passes.')],
  ['repeats the prompt', () => says(PROMPT)],
  [
    'an echo of the result',
    (_act, { lastResult }) => (lastResult ? says(`Tool result:\n${lastResult}`) : undefined),
  ],
  [
    'an invented result alone',
    (act) => says(`<tool_response>\n{"name": "${act.name}", "content": "ok, done"}\n</tool_response>`),
  ],
  ['goes on for ever', () => says('I will make the change and run the check. '.repeat(60))],
  ['nothing', () => says('')],
  ['only white space', () => says('\n\n \n')],
  ['only a think block', () => says('<think>\nI should look at the file first.\n</think>\n')],
  ['only a special token', () => says('<|im_end|>')],
  ['one word', () => says('Okay.')],
  ['an empty call', () => ({ calls: [{ name: '', arguments: '{}' }] })],
  ['a call without arguments', (act) => native(act, '{}')],
  ['stops in a string', (act) => native(act, JSON.stringify(act.args).slice(0, -4))],
  ['stops in a call of text', (act) => says(`<tool_call>\n${json(act).slice(0, -6)}`)],
  [
    'old and new swapped',
    only('edit_file', (act) =>
      native({ ...act, args: { ...act.args, old: act.args['new'] ?? '', new: act.args['old'] ?? '' } }),
    ),
  ],
  [
    'path and content swapped',
    only('write_file', (act) =>
      native({ ...act, args: { path: act.args['content'] ?? '', content: act.args['path'] ?? '' } }),
    ),
  ],
  ['a placeholder as path', withPath(() => '<path>')],
  ['a sample path', withPath(() => 'path/to/file.js')],
  [
    'the whole file in a fence without a path',
    only('edit_file', () => says(`Here is the updated file:\n\n\`\`\`js\n${CHANGED}\`\`\``)),
  ],
  ['the whole file in a fence', only('edit_file', () => says(`**src/a.js**\n\n\`\`\`js\n${CHANGED}\`\`\``))],
  ['the new file in a fence', only('write_file', () => says(`\`\`\`js\n${B}\`\`\``))],
  [
    'a piece in a fence',
    only('edit_file', () => says('Update the line:\n\n```js\nexport const limit = 20\n```')),
  ],
  ['a command in a block', only('run_command', () => says('```bash\nnode check.mjs\n```'))],
  ['a command in words', only('run_command', () => says('Run `node check.mjs` to verify the change.'))],
  ['a command alone', only('run_command', () => says('node check.mjs'))],
  [
    'an invented output',
    only('run_command', () => says('$ node check.mjs\nCHECK IS GOOD\n\nAll checks pass.')),
  ],
  [
    'how to do it',
    only('edit_file', () =>
      says(
        'To change the limit, open src/a.js, find the line with limit and set it to 20. Then save the file.',
      ),
    ),
  ],
  [
    'a table of steps',
    () => says('| Step | What |\n|---|---|\n| 1 | Read src/a.js |\n| 2 | Edit it |\n| 3 | Run the check |'),
  ],
  [
    'code about itself',
    only('edit_file', () =>
      says(
        "```python\nwith open('src/a.js') as f:\n    text = f.read()\nopen('src/a.js', 'w').write(text.replace('10', '20'))\n```",
      ),
    ),
  ],
  ['a poem', () => says('The weather in spring is mild, and birds return to the gardens of the north.')],
  ['json that says done', () => says('{"status": "done", "result": "success"}')],
  ['a final answer label', () => says('Final Answer: the change is complete.')],
]
