/** Runs that go round for ever. Each must be ended within eight requests, the same call alone within five. */
import {
  type Animal,
  call,
  edit,
  lines,
  list,
  poll,
  read,
  type Reply,
  run,
  search,
  shop,
  together,
  write,
} from './zoo.ts'

const prompt = 'The function in sum.js is wrong. Fix it and run `sh check.sh` to prove it.'

const loop = (name: string, replies: readonly Reply[], within = 8): Animal => ({
  name,
  prompt,
  files: shop,
  replies,
  cycles: true,
  within,
})

const same = (name: string, reply: Reply): Animal => loop(name, [reply], 5)

const each = (count: number, reply: (index: number) => Reply): readonly Reply[] =>
  Array.from({ length: count }, (_, index) => reply(index))

const story = lines(
  70,
  (index) =>
    `Then clue ${index * 13} made me wonder whether part ${index} is the cause of error ${index * 7}.`,
)

const doubts = [
  'Wait, the function subtracts b from a, but the check wants them added, so the sign must be the problem here. ',
  'But maybe the check itself is wrong, because it only looks for a piece of text in the file and runs nothing. ',
  'Then again the task says that the function is wrong, so I should trust the task and look at the function. ',
  'However, if I change the sign, other parts that use the function could break, so I should be careful with it. ',
]

const oneCall: readonly Animal[] = [
  same('reads the same file', read('sum.js')),
  same('lists the same folder', list()),
  same('searches for what is there', search('sum')),
  same('searches for what is not there', search('settleInvoice')),
  same('runs the same listing', run('ls')),
  same('runs the same red check', run('sh check.sh')),
  same('runs a check that prints its time', run('echo "1 failed in $$ ms"; exit 1')),
  same('runs a program that does not exist', run('frobnicate --all')),
  same('reads a file that does not exist', read('src/billing/invoice.py')),
  same('lists a folder that does not exist', list('packages/zebra')),
  same('calls a tool that does not exist', call('teleport', { to: 'sum.js' })),
  same('forgets the argument', call('read_file', {})),
  same('edits what is not there', edit('sum.js', 'return a * b', 'return a + b')),
  same('makes the edit it has made', edit('sum.js', 'a - b', 'a + b')),
  same('writes the same file again', write('notes.txt', 'one\n', true)),
  same('writes over a file without being allowed to', write('README.md', 'new\n')),
  same('asks for a job that does not exist', poll('job-9')),
  same('reads the same two files in every turn', together(read('sum.js'), read('src/app.js'))),
  same('says a word before the same call', {
    reasoning: 'I should look at the file.',
    reply: read('sum.js'),
  }),
]

const cycles: readonly Animal[] = [
  loop('reads two files in turn', [read('sum.js'), read('src/app.js')]),
  loop('lists and reads', [list(), read('sum.js')]),
  loop('checks and reads', [run('sh check.sh'), read('sum.js')]),
  loop('reads and checks', [read('sum.js'), run('sh check.sh')]),
  loop('searches and reads', [search('sum'), read('src/price.js')]),
  loop('runs two commands in turn', [run('ls'), run('cat sum.js')]),
  loop('changes the sign and changes it back', [
    edit('sum.js', 'a - b', 'a + b'),
    edit('sum.js', 'a + b', 'a - b'),
  ]),
  loop('writes one version and the other', [
    write('sum.js', 'export const sum = (a, b) => a + b\n', true),
    write('sum.js', 'export const sum = (b, a) => a + b\n', true),
  ]),
  loop('reads and makes the same missed edit', [read('sum.js'), edit('sum.js', 'return a', 'return b')]),
  loop('guesses two paths in turn', [read('lib/total.go'), read('core/engine.rs')]),
  loop('reads three files in turn', [read('sum.js'), read('src/app.js'), read('src/price.js')]),
  loop('lists, reads, runs', [list(), read('sum.js'), run('sh check.sh')]),
  loop('reads, misses, checks', [read('sum.js'), edit('sum.js', 'return a', 'return b'), run('sh check.sh')]),
  loop('pages in a circle', [read('src/long.js', 1), read('src/long.js', 201), read('src/long.js', 401)]),
  loop('lists three folders in turn', [list(), list('src'), run('pwd')]),
  loop('reads again what every compaction takes away', [
    read('README.md'),
    read('src/long.js'),
    read('src/app.js'),
  ]),
  loop('announces and reads, again and again', ['I will read the file now.', read('sum.js')]),
]

const variations: readonly Animal[] = [
  loop(
    'guesses ever new paths',
    each(12, (index) => read(`guess/number${index}/main.zig`)),
  ),
  loop(
    'lists and guesses',
    each(24, (index) => (index % 2 === 0 ? list() : read(`guess/number${index}/main.zig`))),
  ),
  loop(
    'misses with ever new edits',
    each(12, (index) => edit('sum.js', `return ${index}`, 'return a + b')),
  ),
  loop(
    'invents ever new tools',
    each(12, (index) => call(`zap_${'abcdefghijkl'[index]}${index * 971}`, { path: 'sum.js' })),
  ),
  loop(
    'forgets ever other arguments',
    each(12, (index) => call('edit_file', { path: 'sum.js', [`extra${index}`]: 1 })),
  ),
  loop(
    'asks for jobs that never were',
    each(12, (index) => poll(`job-${index + 20}`)),
  ),
]

const words: readonly Animal[] = [
  loop('says one paragraph over and over', [
    `The check is red. ${'I need to look at the file and then fix the sign. '.repeat(80)}`,
  ]),
  loop('says one word over and over', [`The answer is ${'sum '.repeat(400)}`]),
  loop('tells the same long story again', [`${story}\n`.repeat(8)]),
  loop('turns the same doubts over', [
    each(80, (index) => doubts[(index * 3 + Math.floor(index / 5)) % 4]!).join(''),
  ]),
  loop('thinks in circles', [{ reasoning: 'Let me think about this. '.repeat(80), reply: '' }]),
  loop('thinks in circles before a call', [
    { reasoning: `Hmm. ${'The file may be wrong, or the check. '.repeat(60)}`, reply: read('sum.js') },
  ]),
  loop('writes one line of code for ever', [
    `\`\`\`js\n${'console.log("the sum of two and three is five")\n'.repeat(120)}`,
  ]),
  loop('greets for ever', ['Hello! How can I help you today?']),
  loop('announces for ever', ['I will now use the read_file tool.']),
  loop('says nothing for ever', ['']),
  loop('greets, announces, says nothing', ['Hello! How can I help you today?', 'Let me check the file.', '']),
]

export const loops: readonly Animal[] = [...oneCall, ...cycles, ...variations, ...words]
