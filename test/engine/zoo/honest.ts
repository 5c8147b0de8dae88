/** Runs that do their work, some of them clumsily. None may be stopped, refused or spoken to. */
import {
  type Animal,
  edit,
  lines,
  list,
  poll,
  read,
  type Reply,
  run,
  search,
  shop,
  start,
  together,
  write,
  call,
} from './zoo.ts'

/** What it leads to is open: how the work is gone about is what matters here. */
const works = (name: string, ...replies: readonly Reply[]): Animal => ({
  name,
  prompt: 'Something about the sums is odd. See how far you get in a few steps and tell me what you found.',
  files: shop,
  replies: [...replies, 'The sign in sum.js is the odd one; that is how far I got.'],
  cycles: false,
})

const answers = (name: string, prompt: string, text: string): Animal => ({
  name,
  prompt,
  files: shop,
  replies: [text],
  cycles: false,
})

/** Reads something first, so that the answer comes after tool use. */
const reports = (name: string, text: string, prompt = 'What does sum.js do?'): Animal => ({
  name,
  prompt,
  files: shop,
  replies: [read('sum.js'), text],
  cycles: false,
})

const times = (count: number, replies: (index: number) => readonly Reply[]): readonly Reply[] =>
  Array.from({ length: count }, (_, index) => replies(index)).flat()

/** Each edit replaces what the one before it put there. */
const nextTry = (index: number): Reply =>
  edit('sum.js', index === 0 ? 'a - b' : `a ^ ${index}`, `a ^ ${index + 1}`)

const check = run('sh check.sh')

const edits: readonly Animal[] = [
  works('reads, edits, checks', read('sum.js'), edit('sum.js', 'a - b', 'a + b'), check),
  works('edits and sees red six times before it is right', ...times(6, (index) => [nextTry(index), check])),
  works('edits and sees red twelve times', ...times(12, (index) => [nextTry(index), check])),
  works('reads again after every edit', ...times(8, (index) => [nextTry(index), read('sum.js')])),
  works('edits, reads and checks in turn', ...times(6, (index) => [nextTry(index), read('sum.js'), check])),
  works('lists before every edit', ...times(5, (index) => [list(), nextTry(index)])),
  works(
    'undoes an edit once and makes it again',
    edit('sum.js', 'a - b', 'a + b'),
    edit('sum.js', 'a + b', 'a - b'),
    edit('sum.js', 'a - b', 'a + b'),
    check,
  ),
  works(
    'misses once, reads, and hits',
    edit('sum.js', 'return a - b', 'return a + b'),
    read('sum.js'),
    edit('sum.js', 'a - b', 'a + b'),
    check,
  ),
  works(
    'misses twice, reads each time, and hits',
    edit('sum.js', 'a-b', 'a+b'),
    read('sum.js'),
    edit('sum.js', '(a,b)', '(x,y)'),
    read('sum.js'),
    edit('sum.js', 'a - b', 'a + b'),
    check,
  ),
  works(
    'writes five new files',
    ...times(5, (index) => [write(`src/part${index}.js`, `export const part${index} = ${index}\n`)]),
  ),
  works(
    'writes a file and then improves it',
    write('src/new.js', 'a\n'),
    read('src/new.js'),
    edit('src/new.js', 'a', 'b'),
    read('src/new.js'),
    edit('src/new.js', 'b', 'c'),
  ),
  works(
    'writes a whole file again and again, each time better',
    read('sum.js'),
    ...times(6, (index) => [write('sum.js', `export const sum = (a, b) => ${index}\n`, true), check]),
  ),
  works(
    'creates what it could not read',
    read('src/config.toml'),
    write('src/config.toml', 'port = 1\n'),
    read('src/config.toml'),
  ),
  works(
    'renames one constant in three files',
    ...['sum.js', 'src/app.js', 'src/price.js'].flatMap((path) => [
      read(path),
      edit(path, path === 'src/price.js' ? 'withTax' : 'sum', 'renamed'),
    ]),
  ),
]

const commands: readonly Animal[] = [
  works('checks before and after', check, read('sum.js'), edit('sum.js', 'a - b', 'a + b'), check),
  works(
    'changes files with commands and sees the same red check',
    ...times(5, (index) => [run(`sed -i.bak 's|$| // ${index}|' sum.js`), check]),
  ),
  works(
    'asks for the same thing after each command',
    ...times(5, (index) => [run(`echo ${index} >> log.txt`), run('cat log.txt')]),
  ),
  works('lists again after a command made a file', run('ls'), run('touch made.txt'), run('ls')),
  works(
    'lists again after a file was written',
    list(),
    write('made.txt', 'x\n'),
    list(),
    write('made2.txt', 'x\n'),
    list(),
  ),
  works(
    'tries three ways to run the check',
    run('./check.sh'),
    run('bash ./nothing.sh'),
    run('make check'),
    check,
  ),
  works(
    'greps in vain with five words',
    ...['alpha', 'beta', 'gamma', 'delta', 'omega'].map((word) => run(`grep -r ${word} src`)),
  ),
  works('runs nine different commands that fail', ...times(9, (index) => [run(`ls /nowhere/${index}`)])),
  works(
    'looks at versions one by one',
    ...['sh', 'ls', 'cat', 'grep', 'sed'].map((tool) => run(`command -v ${tool}`)),
  ),
  works('runs the check twice to be sure', check, check, read('sum.js')),
  works('reads a file that a command made', read('out.txt'), run('echo made > out.txt'), read('out.txt')),
  works(
    'tries the same path again after making it with a command',
    list('dist/web'),
    run('mkdir -p dist/web && touch dist/web/a'),
    list('dist/web'),
  ),
]

/** Prints for some seconds: every poll finds something new. */
const build = 'i=0; while [ $i -lt 60 ]; do i=$((i + 1)); echo part $i; sleep 0.1; done'

const jobs: readonly Animal[] = [
  works('polls a job until it ends', start(build), ...times(6, () => [poll('job-1')])),
  works(
    'polls and works in between',
    start(build),
    poll('job-1'),
    read('sum.js'),
    poll('job-1'),
    edit('sum.js', 'a - b', 'a + b'),
    poll('job-1'),
    check,
    poll('job-1'),
  ),
  works(
    'polls and reads the same file in between',
    start(build),
    ...times(4, () => [poll('job-1'), read('sum.js')]),
  ),
]

const exploring: readonly Animal[] = [
  works(
    'pages through a long file',
    read('src/long.js', 1),
    read('src/long.js', 201),
    read('src/long.js', 401),
    read('src/long.js', 601),
  ),
  works(
    'pages and goes back once',
    read('src/long.js', 1),
    read('src/long.js', 201),
    read('src/long.js', 1),
    read('src/long.js', 401),
  ),
  works('reads every file, listing in between', ...Object.keys(shop).flatMap((path) => [list(), read(path)])),
  works('reads every file once', ...Object.keys(shop).map((path) => read(path))),
  works('reads one file twice', read('sum.js'), read('src/app.js'), read('sum.js')),
  works(
    'searches for five things',
    ...['sum', 'label', 'withTax', 'value5', 'import'].map((word) => search(word)),
  ),
  works(
    'searches in vain four times, then finds',
    ...['foo', 'bar', 'baz', 'qux', 'sum'].map((word) => search(word)),
  ),
  works(
    'reads five files in one turn, twice',
    together(...Object.keys(shop).map((path) => read(path))),
    together(...Object.keys(shop).map((path) => read(path))),
  ),
  works(
    'asks for the same file three times in one turn',
    together(read('sum.js'), read('sum.js'), read('sum.js')),
    check,
  ),
  works('guesses wrong, lists, reads', read('lib/main.rs'), list(), read('sum.js')),
  works(
    'guesses wrong twice, lists, guesses right',
    read('lib/main.rs'),
    read('core/main.go'),
    list(),
    list('src'),
    read('src/price.js'),
  ),
  works(
    'writes a path in another case',
    read('Sum.js'),
    read('SRC/App.js'),
    edit('Sum.js', 'a - b', 'a + b'),
    check,
  ),
  works('calls a tool by a wrong name once', call('reader', { path: 'sum.js' }), read('sum.js')),
  works(
    'forgets an argument twice, then knows',
    call('edit_file', { path: 'sum.js' }),
    call('edit_file', { path: 'sum.js', old: 'a - b' }),
    edit('sum.js', 'a - b', 'a + b'),
    check,
  ),
  works(
    'searches, reads what was found, searches again',
    search('withTax'),
    read('src/price.js'),
    search('label'),
    read('src/price.js', 2),
  ),
]

const finalWords: readonly Animal[] = [
  reports('offers more help at the end', 'It subtracts b from a. Let me know if you want me to fix it.'),
  reports('says goodbye', 'It subtracts b from a. Is there anything else I can help you with?'),
  reports('asks which one', 'There are two sums. Which one do you mean?'),
  reports('asks before it acts', 'It subtracts. Should I change it to add?'),
  reports('offers under a condition', 'It subtracts. I can run the check if you like.'),
  reports('will not', 'It subtracts. I will not change it without your word.'),
  reports('says what the person can do', 'It subtracts. You can run `sh check.sh` to see it fail.'),
  reports('says what it did', 'I read sum.js and ran the check: it subtracts b from a.'),
  reports('says what the program will do', 'The script will read the file and then run the check.'),
  reports('greets and answers', 'Hello! sum.js subtracts b from a.'),
  reports('answers with one word', 'Subtracts.'),
  reports('answers with a number', '42'),
  reports(
    'answers in German',
    'Die Funktion zieht b von a ab. Sag Bescheid, wenn ich sie ändern soll.',
    'Was macht sum.js?',
  ),
  reports(
    'answers with a table',
    `| name | kind | note |\n|------|------|------|\n${lines(40, (index) => `| value${index} | number | ok |`)}`,
  ),
  reports('answers with an empty table', `| a | b | c |\n|---|---|---|\n${'|   |   |   |\n'.repeat(40)}`),
  reports(
    'answers with a numbered list',
    lines(60, (index) => `${index + 1}. Check that value${index} is right.`),
  ),
  reports(
    'answers with a list of like lines',
    lines(60, (index) => `- src/file${index}.js: one export, no tests`),
  ),
  reports('answers with long rules', `Result\n${'='.repeat(300)}\n${'-'.repeat(300)}\nDone.`),
  reports(
    'answers with a tree',
    lines(80, (index) => `│   ├── part${index}.js`),
  ),
  reports(
    'answers with code that repeats itself',
    `\`\`\`js\n${lines(60, (index) => `  case ${index}:\n    return value${index}`)}\n\`\`\``,
  ),
  reports(
    'answers with six equal lines of code',
    `\`\`\`js\n${'  expect(sum(2, 3)).toBe(sum(3, 2))\n'.repeat(6)}\`\`\``,
  ),
  reports(
    'answers with JSON',
    JSON.stringify(
      Array.from({ length: 60 }, (_, index) => ({ id: index, name: `value${index}`, ok: true })),
      null,
      2,
    ),
  ),
  reports('answers with a grid of zeros', `\`\`\`\n${lines(12, () => '0 0 0 0 0 0 0 0 0 0')}\n\`\`\``),
  reports(
    'answers with three like paragraphs',
    'The first file adds two numbers and returns them. '.repeat(3),
  ),
  reports('thinks a little and answers', 'It subtracts b from a, which is why the check is red.'),
]

const firstWords: readonly Animal[] = [
  answers('answers a greeting', 'hi', 'Hello! How can I help you today?'),
  answers('answers thanks', 'Thanks a lot!', "You're welcome! How can I help you further?"),
  answers('says who it is', 'Who are you?', "I'm an AI assistant. How can I help you?"),
  answers(
    'answers a question from what it knows',
    'What is a closure?',
    'A function together with the variables it can see.',
  ),
  answers('writes a greeting', 'Write a friendly greeting for the shop.', 'Hello! How can I help you today?'),
  answers(
    'gives the plan it was asked for',
    'Make a plan for the fix, nothing else.',
    '1. I will read sum.js.\n2. I will change the sign.\n3. I will run the check.',
  ),
  answers('asks back', 'Fix the bug.', 'Which bug do you mean: the sum or the tax?'),
]

export const honest: readonly Animal[] = [
  ...edits,
  ...commands,
  ...jobs,
  ...exploring,
  ...finalWords,
  ...firstWords,
]
