/**
 * The forty turns of the long task as a model would take them: with slips, lookups that fail, and checks in between.
 */
import { calls, says, type ScriptedReply } from '../../../src/provider/scripted.ts'

/** Each must occur in every request. */
export const longConstraints = [
  'do not commit',
  'leave everything under test/ as it is',
  'keep the codes ROUTE_E_LIMIT and ROUTE_E_PARSE',
  'no new dependencies',
  'keep every name that lib/index.js exports',
] as const

export const longPrompt =
  'The option maxParams of this library is called paramLimit from now on. Rename it in every file of lib/ and in ' +
  'docs/options.md, and add docs/changes.md with one paragraph on it. `node check.js` fails today because of the old ' +
  `name and must be green at the end. While you work: ${longConstraints.join('; ')}. Say which files you changed.`

const renames = (path: string, limit: number): ScriptedReply => [
  calls('edit_file', { path, old: `options.maxParams ?? ${limit}`, new: `options.paramLimit ?? ${limit}` }),
]
const reads = (path: string, from?: number): ScriptedReply => [
  calls('read_file', { path, ...(from && { from }) }),
]
const runs = (command: string): ScriptedReply => [calls('run_command', { command })]
const renamesAll = (path: string): ScriptedReply => [
  calls('edit_file', { path, old: 'options.maxParams', new: 'options.paramLimit', all: true }),
]

export const longScript: readonly ScriptedReply[] = [
  [calls('list_files', { path: '.' })],
  reads('lib/index.js'),
  reads('lib/router.js'),
  reads('lib/router.js', 40),
  [calls('search_text', { pattern: 'maxParams' })],
  runs('node check.js'),
  reads('lib/parse.js'),
  reads('lib/parse.js', 45),
  reads('src/head-route.js'),
  renames('lib/router.js', 10),
  renames('lib/router.js', 11),
  runs('node check.js 2>&1 | tail -n 40'),
  renamesAll('lib/router.js'),
  reads('lib/router.js', 20),
  runs('node check.js'),
  [calls('search_text', { pattern: 'paramLimit', path: 'lib' })],
  reads('lib/reply.js'),
  [
    calls('edit_file', {
      path: 'lib/reply.js',
      old: 'options.maxParts ?? 10',
      new: 'options.paramLimit ?? 10',
    }),
  ],
  renamesAll('lib/reply.js'),
  reads('lib/nothing-here-at-all.js'),
  reads('lib/errors.js'),
  [calls('more_tools', { category: 'search' })],
  [calls('call_tool', { name: 'find_files', arguments: { pattern: '*.md' } })],
  renamesAll('lib/errors.js'),
  runs('node check.js | grep -n "not ok"'),
  reads('lib/parse.js', 1),
  renamesAll('lib/parse.js'),
  runs('node check.js 2>&1'),
  reads('docs/options.md'),
  [calls('edit_file', { path: 'docs/options.md', old: '- `maxParams`: how', new: '- `paramLimit`: how' })],
  [
    calls('write_file', {
      path: 'docs/changes.md',
      content:
        '# Changes\n\nThe option `maxParams` is called `paramLimit` now; what it does has not changed.\n',
    }),
  ],
  reads('lib/head-route.js'),
  renamesAll('lib/head-route.js'),
  [calls('search_text', { pattern: 'maxParams', path: 'lib' })],
  reads('lib/format.js'),
  renamesAll('lib/format.js'),
  runs('node check.js > check.log 2>&1; tail -n 3 check.log; rm check.log'),
  runs('node check.js'),
  reads('lib/index.js'),
  [
    says(
      'maxParams is paramLimit now in lib/router.js, lib/parse.js, lib/head-route.js, lib/reply.js, lib/errors.js, ' +
        'lib/format.js and docs/options.md; docs/changes.md is new. node check.js is green.',
    ),
  ],
]
