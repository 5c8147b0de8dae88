/** The table of moods: requests that name an action and ask for none, and their neighbours that do ask. */
import { describe, expect, test } from 'vitest'
import { moodAgainst } from '../../../src/nano/intent/mood.ts'
import type { NanoCall } from '../../../src/nano/steps/run.ts'

const run = (command: string): NanoCall => ({ name: 'run_command', input: { command } })
const write = (path: string, content: string): NanoCall => ({ name: 'write_file', input: { path, content } })
const edit = (path: string, old: string, next: string): NanoCall => ({
  name: 'edit_file',
  input: { path, old, new: next },
})

const build = run('npm run build')
const tests = run('npm test')
const deploy = run('bash deploy.sh')
const backup = run('bash backup.sh')

const against: Record<string, readonly (readonly [string, NanoCall])[]> = {
  negated: [
    ["don't build yet", build],
    ['dont run the tests', tests],
    ['Do not deploy.', deploy],
    ['please do not run npm test', tests],
    ['no tests please', tests],
    ['no build needed', build],
    ['no deploy today', deploy],
    ['no need to run the tests', tests],
    ['npm test, go on, I dare you', tests],
    ['STOP THE BACKUP', backup],
    ['stop the build!', build],
    ['cancel the deploy', deploy],
    ['please abort the migration', run('npm run migrate')],
    ['skip the tests', tests],
    ['hold off on deploying', deploy],
    ['never run backup.sh', backup],
    ["you shouldn't run deploy.sh", deploy],
    ['we must not push', run('git push')],
    ["I'd rather not run the tests", tests],
    ['leave config.ts alone, port 3000 stays', edit('config.ts', '3000', '8080')],
    ['check the script without running it', backup],
    ['not now: build', build],
    ['run the build lol wrong chat ignore', build],
    ['The last thing we need this week is to run npm run deploy.', run('npm run deploy')],
    ["There's no universe in which a.ts needs another port", edit('a.ts', '3000', '8080')],
    ['npm run build. sorry, wrong window', build],
    ['not yet, the tests are red', tests],
    ['You can’t deploy this', deploy],
    ['avoid running npm install', run('npm install')],
    ['forget the build', build],
    ["don't change 3000 to 8080 in server.ts", edit('server.ts', '3000', '8080')],
    ["don't write hello to a.txt", write('a.txt', 'hello')],
  ],
  postponed: [
    ['deploy later', deploy],
    ['run the tests tomorrow', tests],
    ['build it next week', build],
    ["I'll run the tests myself", tests],
    ['we will deploy on friday', deploy],
    ['after lunch run the backup', backup],
    ['remind me to run the tests', tests],
    ['someday build this', build],
    ['run deploy.sh in 10 minutes', deploy],
    ['build when I say so', build],
    ['once we are done, deploy', deploy],
    ['I already ran deploy.sh', deploy],
    ['as soon as possible later: backup', backup],
  ],
  conditional: [
    ['if the tests pass, deploy', deploy],
    ['deploy unless it is friday', deploy],
    ['run the build in case something changed', build],
    ['what happens if I run deploy.sh', deploy],
    ['what if we build now', build],
    ['suppose I run backup.sh', backup],
    ['what would npm test do', tests],
    ['imagine we deploy', deploy],
  ],
  reported: [
    ['Tomasz wrote in the channel: run the tests', tests],
    ['From Mary, 9:14 am: run backup.sh', backup],
    ['my boss said yesterday evening: deploy it', deploy],
    ['fwd: please build', build],
  ],
  'asked-about': [
    ['What does backup.sh do?', backup],
    ['what is deploy.sh for', deploy],
    ['how do I run the tests?', tests],
    ['How long does the build take?', build],
    ['why did the build fail', build],
    ['who wrote deploy.sh?', deploy],
    ['when was the last backup?', backup],
    ['should I run npm test?', tests],
    ['shall we deploy', deploy],
    ['is it safe to run deploy.sh?', deploy],
    ['so what does npm run build actually do', build],
    ['can you explain what backup.sh does', backup],
    ['tell me how the tests work', tests],
    ['do you know what deploy.sh does?', deploy],
    ['where is backup.sh run?', backup],
    ['does it delete anything when it is run? deploy.sh', deploy],
  ],
}

const wanted: readonly (readonly [string, NanoCall])[] = [
  ['build it', build],
  ['run the tests', tests],
  ['run tests please', tests],
  ['can you run the tests?', tests],
  ['could you please build it', build],
  ['Would you mind running npm test?', tests],
  ['please deploy now', deploy],
  ['time for a backup', backup],
  ['RUN THE BACKUP', backup],
  ["let's see if the tests are happy", tests],
  ['check whether the tests still pass', tests],
  ['run deploy.sh if you would', deploy],
  ['write "never again" to a.txt', write('a.txt', 'never again')],
  ["put 'do not touch' into notes.md", write('notes.md', 'do not touch')],
  ['write if it rains we stay home to plan.txt', write('plan.txt', 'if it rains we stay home')],
  ['change "later" to "now" in todo.md', edit('todo.md', 'later', 'now')],
  ['replace "what is this" with "what is that" in a.md', edit('a.md', 'what is this', 'what is that')],
  ['create an empty file x.txt. Do not put anything in it.', write('x.txt', '')],
  ['add milk to groceries.txt, thanks', write('groceries.txt', 'milk')],
  ['paris.py should say 25 degrees not 21 degrees', edit('paris.py', '21 degrees', '25 degrees')],
  ['I would like you to run npm test', tests],
  ['before I forget, run the backup', backup],
  ['what does git status say?', run('git status')],
  ['which branch am I on?', run('git branch')],
  ['stop job-3', { name: 'job_stop', input: { id: 'job-3' } }],
  ['run it and tell me what it prints', run('python3 a.py')],
  ['don’t forget to run the tests', tests],
]

describe.each(Object.entries(against))('a request that is %s', (mood, rows) => {
  test.each(rows)('%s', (request, call) => {
    expect(moodAgainst(call, request)).toBe(mood)
  })
})

test.each(wanted)('wants it done: %s', (request, call) => {
  expect(moodAgainst(call, request)).toBeUndefined()
})
