import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { createFirewall, type FirewallParts, redact } from '../../../src/guard/secrets/firewall.ts'
import { environmentSecrets } from '../../../src/guard/secrets/known.ts'
import { loadSecretKey, openSecretStore } from '../../../src/guard/secrets/store.ts'
import type { Message } from '../../../src/protocol/message.ts'
import type { Model, ModelEvent, ModelRequest } from '../../../src/protocol/model.ts'
import { tempProject } from '../../support/project.ts'
import { secretLines } from './samples.ts'
import { runs } from '../../support/runs.ts'

const key = 'AKIAQWERTYUIOPASDF12'
const other = 'ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5'

async function project(files: Record<string, string> = {}, parts: Partial<FirewallParts> = {}) {
  const root = await tempProject(files)
  return { root, firewall: createFirewall({ files: createFiles({ root }), ...parts }) }
}

/** The tag of a session is drawn; the rest of a placeholder is not. */
const withoutTag = (text: string): string => text.replaceAll(/(\[secret:[a-z0-9-]+):[a-z0-9]{4}:/g, '$1:')

describe('what leaves', () => {
  test('a secret becomes a placeholder, the same one wherever it turns up', async () => {
    const { firewall } = await project()

    const text = await firewall.outgoing(`first ${key}, then ${other}`)
    const again = firewall.outgoingNow(`again ${key}`)

    expect(withoutTag(text)).toBe('first [secret:aws-key:1], then [secret:github-token:2]')
    expect(withoutTag(again)).toBe('again [secret:aws-key:1]')
    expect(text).toContain(again.slice('again '.length))
  })

  test('two sessions draw two tags', async () => {
    const [first, second] = [await project(), await project()]

    expect(await first.firewall.outgoing(key)).not.toBe(await second.firewall.outgoing(key))
  })

  test('doing it twice changes nothing', async () => {
    const { firewall } = await project()
    const text = secretLines(3)
      .map(({ line }) => line)
      .join('\n')

    const once = await firewall.outgoing(text)

    expect(await firewall.outgoing(once)).toBe(once)
    expect(firewall.outgoingNow(once)).toBe(once)
  })

  test('a value that was found by its name is known without it afterwards, in other spellings too', async () => {
    const { firewall } = await project()
    await firewall.outgoing('DB_PASSWORD=c0rrect/h0rse+staple')

    const leaked = [
      'c0rrect/h0rse+staple',
      encodeURIComponent('c0rrect/h0rse+staple'),
      Buffer.from('c0rrect/h0rse+staple\n').toString('base64'),
      Buffer.from('c0rrect/h0rse+staple').toString('hex'),
      Buffer.from('c0rrect/h0rse+staple').toString('hex').toUpperCase(),
      ...['a', 'me'].map((before) => Buffer.from(`${before}c0rrect/h0rse+staple`).toString('base64url')),
      encodeURIComponent('c0rrect/h0rse+staple').toLowerCase(),
      'c0rrect\\/h0rse+staple',
    ].map((form) => firewall.outgoingNow(`echo ${form}`))

    expect(leaked.map(withoutTag).join('\n')).not.toMatch(/c0rrect|h0rse|YzBycmVj|MwcnJlY|jMHJyZWN|63307272/)
  })

  test('a value that bears a name in one place is hidden in all places of the same text', async () => {
    const text = 'echo c0rrect-h0rse-9\nPASSWORD=c0rrect-h0rse-9\nlogin(c0rrect-h0rse-9)'

    expect(withoutTag((await redact(text)).text)).toBe(
      'echo [secret:password:1]\nPASSWORD=[secret:password:1]\nlogin([secret:password:1])',
    )
  })

  test('keys of the arms never leave, whatever they look like', async () => {
    const { firewall } = await project({}, { known: [{ kind: 'arm-key', value: 'plain-looking-0' }] })

    expect(withoutTag(await firewall.outgoing('GET /v1 plain-looking-0'))).toBe('GET /v1 [secret:arm-key:1]')
  })

  test('a key of an arm is still known behind thousands of others that begin alike', async () => {
    const { firewall } = await project({}, { known: [{ kind: 'arm-key', value: 'plain-looking-0' }] })
    const numbers = Array.from({ length: 3000 }, (_, index) => index)
    await firewall.outgoing(numbers.map((number) => `PASSWORD=plain-looking-0x${number}`).join('\n'))

    const shown = firewall.outgoingNow('a plain-looking-0 b plain-looking-0x2999 c plain-looking-0x2999y')

    expect(withoutTag(shown)).toBe('a [secret:arm-key:1] b [secret:password:3001] c [secret:password:3001]y')
  })

  test('secrets of the environment are known by their names there', () => {
    const env = {
      PATH: '/bin:/usr/bin',
      MY_TOKEN: 'abcd-efgh-1',
      SSH_AUTH_SOCK: '/run/x1',
      SECRET: 'short',
      API_KEY: undefined,
    }

    expect(environmentSecrets(env)).toEqual([{ kind: 'token', value: 'abcd-efgh-1' }])
  })

  test('hidden characters cannot split a key', async () => {
    const { firewall } = await project()

    const text = await firewall.outgoing(`${key.slice(0, 7)}\u200B${key.slice(7)} \u202Eend`)

    expect(withoutTag(text)).toBe('[secret:aws-key:1] end')
  })

  test('every text of a record is cleaned, and a clean record is the same object', async () => {
    const { firewall } = await project()
    const clean = { type: 'message', at: 1, list: ['a', { b: 'c' }] }

    const record = firewall.outgoingValue({
      at: 2,
      call: { input: JSON.stringify({ command: `echo ${key}` }) },
    })

    expect(withoutTag(record.call.input)).toBe('{"command":"echo [secret:aws-key:1]"}')
    expect(firewall.outgoingValue(clean)).toBe(clean)
  })

  test('thousands of secrets do not fill the memory: those beyond the limit are hidden for good', async () => {
    const { firewall } = await project()
    const many = Array.from({ length: 5100 }, (_, index) => `AKIAQWERTYUIOP${String(index).padStart(6, 'A')}`)

    const text = await firewall.outgoing(many.join('\n'))

    expect(text).not.toContain('AKIA')
    expect(withoutTag(text).split('\n').at(-1)).toBe('[secret:aws-key:0]')
  })
})

describe('patterns of one’s own', () => {
  const patterns = [
    { name: 'Customer no.', regex: 'C-[0-9]{6}' },
    { name: 'internal', regex: /project nightfall/i, action: 'block' },
    { name: 'host', regex: 'db\\d\\.internal', action: 'warn' },
  ] as const

  test('redact, block and warn', async () => {
    const warnings: string[] = []
    const { firewall } = await project({}, { patterns, onWarning: (message) => warnings.push(message) })

    expect(withoutTag(await firewall.outgoing('for C-123456'))).toBe('for [secret:customer-no:1]')
    expect(await firewall.outgoing('about Project Nightfall')).toBe(
      '[withheld: this text holds "internal", which may not leave]',
    )
    expect(await firewall.outgoing('on db3.internal')).toBe('on db3.internal')
    expect(warnings).toEqual(['A text may hold a secret (host) in line 1; it was not replaced.'])
  })

  test('a file with blocked content cannot be read', async () => {
    const { firewall } = await project({ 'plan.md': 'Project Nightfall' }, { patterns })

    await expect(firewall.files.read('plan.md')).rejects.toThrow(
      'plan.md holds "internal", which may not leave this machine.',
    )
  })

  test('redact tells what it found and what it only noticed', async () => {
    const { text, found, warnings } = await redact(`C-123456 ${key}\ndb1.internal`, { patterns })

    expect(withoutTag(text)).toBe('[secret:customer-no:1] [secret:aws-key:2]\ndb1.internal')
    expect(found.map(({ kind, placeholder }) => [kind, text.includes(placeholder)])).toEqual([
      ['customer-no', true],
      ['aws-key', true],
    ])
    expect(warnings).toEqual([{ kind: 'host', line: 2 }])
  })

  test('values that only look random are reported and stay, unless configured otherwise', async () => {
    const text = 'blob Zk3vQ9xLm2Tn8RbWc5Yd7HsJf4Gp6Ae1\nsha1 da39a3ee5e6b4b0d3255bfef95601890afd80709'

    expect((await redact(text)).text).toBe(text)
    expect((await redact(text)).warnings).toEqual([{ kind: 'random-value', line: 1 }])
    const { firewall } = await project({}, { entropy: 'redact' })
    expect(withoutTag(await firewall.outgoing(text))).toMatch(/^blob \[secret:random-value:1\]\nsha1 da39/)
  })
})

describe('files', () => {
  test('tools read placeholders, and what they write back is the file as it was', async () => {
    const text = `key = "${key}"\r\nname = "x"\n\u200B${key}\n`
    const { root, firewall } = await project({ 'settings.toml': text })

    const shown = await firewall.files.read('settings.toml')
    await firewall.files.write('settings.toml', shown.replace('"x"', '"y"'))

    expect(shown).not.toContain(key)
    expect(await readFile(join(root, 'settings.toml'), 'utf8')).toBe(text.replace('"x"', '"y"'))
  })

  test('a secret seen in the output of a command may be written to the file that holds it', async () => {
    const { root, firewall } = await project({ 'app.py': `KEY = '${key}'\n` })
    const shown = await firewall.outgoing(`KEY = '${key}'\n`)

    await firewall.files.write('app.py', `# settings\n${shown}`)

    expect(await readFile(join(root, 'app.py'), 'utf8')).toBe(`# settings\nKEY = '${key}'\n`)
  })

  test('a line that was taken out may come back while the session goes on', async () => {
    const { root, firewall } = await project({ 'app.py': `KEY = '${key}'\nx = 1\n` })
    const shown = await firewall.files.read('app.py')

    await firewall.files.write('app.py', 'x = 1\n')
    await firewall.files.write('app.py', shown)

    expect(await readFile(join(root, 'app.py'), 'utf8')).toBe(`KEY = '${key}'\nx = 1\n`)
  })

  test.each([
    ['into another file', 'b.py', (p: string) => p, /does not come from this file/],
    [
      'one that stands for nothing',
      'a.py',
      (p: string) => p.replace(/\d+\]$/, '99]'),
      /no secret of this session/,
    ],
    [
      'one of another kind',
      'a.py',
      (p: string) => p.replace('aws-key', 'password'),
      /does not come from this file/,
    ],
    [
      'one of another session',
      'a.py',
      (p: string) => p.replace(/:[a-z0-9]{4}:/, ':zz9z:'),
      /another session/,
    ],
    ['half of one', 'a.py', (p: string) => p.slice(1, -1), /not a whole placeholder/],
    ['one in capitals', 'a.py', (p: string) => p.toUpperCase(), /not a whole placeholder/],
  ])('%s is refused and nothing is written', async (_, target, change, message) => {
    const { root, firewall } = await project({ 'a.py': `KEY = '${key}'\n`, 'b.py': 'x = 1\n' })
    const [placeholder = ''] = /\[secret:.*?\]/.exec(await firewall.files.read('a.py')) ?? []

    await expect(firewall.files.write(target, `KEY = '${change(placeholder)}'\n`)).rejects.toThrow(message)

    expect(await readFile(join(root, 'a.py'), 'utf8')).toBe(`KEY = '${key}'\n`)
    expect(await readFile(join(root, 'b.py'), 'utf8')).toBe('x = 1\n')
  })

  test('documentation that shows a placeholder of some session can be edited', async () => {
    const { root, firewall } = await project({ 'doc.md': 'It reads `[secret:aws-key:k3f9:1]`.\n' })

    const shown = await firewall.files.read('doc.md')
    await firewall.files.write('doc.md', `# Secrets\n${shown}`)

    expect(await readFile(join(root, 'doc.md'), 'utf8')).toBe(
      '# Secrets\nIt reads `[secret:aws-key:k3f9:1]`.\n',
    )
  })
})

describe('a session that goes on after a restart', () => {
  test('keeps its tag and numbers, finds the values again where they stand, and has none of them on disk', async () => {
    const { root, firewall } = await project({ 'a.py': `KEY = '${key}'\nother = 1\n` })
    const path = join(root, 'secrets.jsonl')
    const secretKey = await loadSecretKey(join(root, 'keys', 'secrets'))
    const files = createFiles({ root })
    const store = await openSecretStore(path)
    const first = createFirewall({ files, key: secretKey, ...store })
    const shown = await first.files.read('a.py')
    await store.close()

    const reopened = await openSecretStore(path)
    const second = createFirewall({
      files,
      key: await loadSecretKey(join(root, 'keys', 'secrets')),
      ...reopened,
    })
    await second.files.write('a.py', shown.replace('other = 1', 'other = 2'))
    await reopened.close()

    expect(await readFile(join(root, 'a.py'), 'utf8')).toBe(`KEY = '${key}'\nother = 2\n`)
    expect(await readFile(path, 'utf8')).not.toContain(key)
    expect(reopened.records).toMatchObject([
      { type: 'start' },
      { type: 'secret', number: 1, kind: 'aws-key', length: 20 },
      { type: 'secret', number: 1, path: 'a.py', offset: 7 },
    ])
    expect(firewall.secretsIn(shown)).toEqual([])
    expect(second.secretsIn({ content: shown })).toMatchObject([{ kind: 'aws-key', path: 'a.py' }])
  })

  test('a value that is gone from its file is refused, not guessed', async () => {
    const { root, firewall } = await project({ 'a.py': `KEY = '${key}'\n` })
    const files = createFiles({ root })
    const records: Parameters<NonNullable<FirewallParts['keep']>>[0][] = []
    const secretKey = new Uint8Array(32)
    const first = createFirewall({ files, key: secretKey, keep: (record) => records.push(record) })
    const shown = await first.files.read('a.py')
    await writeFile(join(root, 'a.py'), "KEY = ''\n")

    const second = createFirewall({ files, key: secretKey, records })

    await expect(second.files.write('a.py', shown)).rejects.toThrow('does not come from this file')
    expect(firewall.secretsIn(shown)).toEqual([])
  })
})

describe('what a person approves', () => {
  const command = (input: string) =>
    ({ tool: 'run_command', category: 'run', input: { command: input }, targets: [] }) as const

  test('a command gets the value once, and the dialog names it', async () => {
    const { firewall } = await project({ 'a.py': `KEY = '${key}'\n` })
    const placeholder = (await firewall.files.read('a.py')).slice(7, -2)
    const request = command(`deploy ${placeholder}`)

    const asked = await firewall.restore(request)
    const input = await firewall.approve(request)
    const again = await firewall.restore(request)

    expect(asked).toEqual({
      verdict: 'ask',
      why: `run_command would get the real value of ${placeholder} (aws-key from a.py)`,
      secrets: [{ kind: 'aws-key', placeholder, path: 'a.py' }],
    })
    expect(input).toEqual({ command: `deploy ${key}` })
    expect(again.verdict).toBe('ask')
  })

  test('always is for that secret and that tool only', async () => {
    const { firewall } = await project({ 'a.py': `KEY = '${key}'\nB = '${other}'\n` })
    const [first = '', second = ''] = (await firewall.files.read('a.py')).match(/\[secret:.*?\]/g) ?? []

    await firewall.approve(command(`deploy ${first}`), { always: true })

    expect(await firewall.restore(command(`push ${first}`))).toEqual({
      verdict: 'pass',
      input: { command: `push ${key}` },
    })
    expect((await firewall.restore(command(`push ${second}`))).verdict).toBe('ask')
    expect((await firewall.restore({ ...command(first), tool: 'run_python' })).verdict).toBe('ask')
  })

  test('always is not for a secret whose number a placeholder of another session happens to bear', async () => {
    const { firewall } = await project({ 'a.py': `KEY = '${key}'\nB = '${other}'\n` })
    const [first = '', second = ''] = (await firewall.files.read('a.py')).match(/\[secret:.*?\]/g) ?? []
    const foreign = first.replace(/:[a-z0-9]{4}:/, ':zz99:')

    await firewall.approve(command(`deploy ${second} ${foreign}`), { always: true })

    expect((await firewall.restore(command(`push ${second}`))).verdict).toBe('pass')
    expect((await firewall.restore(command(`push ${first}`))).verdict).toBe('ask')
  })

  test('a key that the user typed may be written where they say', async () => {
    const { root, firewall } = await project()
    const prompt = await firewall.outgoing(`put ${key} into app.ini`)
    const [placeholder = ''] = /\[secret:.*?\]/.exec(prompt) ?? []
    const input = { path: 'app.ini', content: `key = ${placeholder}\n` }
    const request = { tool: 'write_file', category: 'write', input, targets: ['app.ini'] } as const

    expect((await firewall.restore(request)).verdict).toBe('ask')
    await firewall.approve(request)
    await firewall.files.write('app.ini', input.content)

    expect(await readFile(join(root, 'app.ini'), 'utf8')).toBe(`key = ${key}\n`)
  })

  test('a value that would change the command is never put into one', async () => {
    const { firewall } = await project({ 'a.py': `PASSWORD = "x1';rm$Y2zz"\n` })
    const [placeholder = ''] = /\[secret:.*?\]/.exec(await firewall.files.read('a.py')) ?? []

    expect(await firewall.restore(command(`login '${placeholder}'`))).toMatchObject({
      verdict: 'refuse',
      why: expect.stringContaining('has characters that would change the command'),
    })
  })
})

describe('text in pieces', () => {
  const pieces = fc.constantFrom(
    ...secretLines(11).map(({ line }) => line),
    'Some words and more. ',
    'const x = 1\n',
    'the password is ',
    'password: >-\n  Tr0ub4dor&3x\n',
    'machine h login me password Tr0ub4dor&3x\n',
    '-----BEGIN ',
    '漢字 😀‍ ',
    '\u200B',
    '"',
    '=',
    '\n',
    ' ',
  )
  const text = fc.array(pieces, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''))

  /** The exception the stream names: an ordinary line stood bare before it was called a password. */
  const isNamedLate = (whole: string): boolean =>
    [...whole.matchAll(/password is (.+)/g)].some(({ 1: value = '', index }) =>
      whole.slice(0, index).includes(value),
    )

  test('any cut of the same text gives the same text, and no secret is in it', async () => {
    const files = createFiles({ root: await tempProject() })
    const secrets = secretLines(11).map(({ secret }) => secret)

    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 40 }), (whole, lengths) => {
        fc.pre(!isNamedLate(whole))
        const stream = createFirewall({ files }).stream()
        let streamed = ''
        let at = 0
        for (let index = 0; at < whole.length; index++) {
          const length = 1 + (lengths[index % lengths.length] ?? 0)
          streamed += stream.push(whole.slice(at, at + length))
          at += length
        }
        streamed += stream.end()

        expect(withoutTag(streamed)).toBe(withoutTag(createFirewall({ files }).outgoingNow(whole)))
        expect(secrets.filter((secret) => streamed.includes(secret))).toEqual([])
      }),
      { numRuns: runs(80, 400) },
    )
  })

  test('ordinary words are not held back to the end of the line', async () => {
    const { firewall } = await project()

    expect(firewall.stream().push('The answer is that ')).toBe('The answer is that ')
  })

  test.each(['Hello', 'The', 'Yes', '**Sure', "O'er", 'Größer', '你好', 'Hm,'])(
    'the word "%s" is shown before its end has come',
    async (word) => {
      const { firewall } = await project()

      expect(firewall.stream().push(word)).toBe(word)
      expect(firewall.stream().push(`and ${word}`)).toBe(`and ${word}`)
    },
  )

  test.each(['sk', 'gh', 'AKI', 'eyJ', 'Z2hw', 'token', '1234', '-', 'a.b', 'my\u200Bword'])(
    '"%s" may be the beginning of a secret and is held back',
    async (word) => {
      const { firewall } = await project()

      expect(firewall.stream().push(word)).toBe('')
    },
  )

  test('of a word that may end in a known secret, the part before it is shown', async () => {
    const { firewall } = await project({}, { known: [{ kind: 'password', value: 'lorem/Ipsum-42' }] })
    const stream = firewall.stream()

    const pieces = ['Hello', 'rem/Ipsum-4', '2 Hel', 'p'].map((piece) => stream.push(piece))

    expect(pieces.map(withoutTag)).toEqual(['Hel', '', '[secret:password:1] He', 'lp'])
  })

  test('an endless line goes on in bounded memory, a key in it found across every cut', async () => {
    const { firewall } = await project()
    const stream = firewall.stream()
    const whole = `${'abc-'.repeat(50_000)} token=${key} ${'abc-'.repeat(30_000)}`

    let streamed = ''
    for (let at = 0; at < whole.length; at += 1000) streamed += stream.push(whole.slice(at, at + 1000))
    streamed += stream.end()

    expect(streamed).toBe(firewall.outgoingNow(whole))
    expect(streamed).not.toContain(key)
  })
})

describe('a model behind the firewall', () => {
  const request = (messages: readonly Message[]): ModelRequest => ({
    runId: 'r',
    sessionId: 's',
    turn: 1,
    system: `Notes: ${key}`,
    messages,
    tools: [{ name: 'x', description: `uses ${key}`, parameters: {} }],
  })

  function recorder(reply: readonly ModelEvent[]): Model & { readonly asked: ModelRequest[] } {
    const asked: ModelRequest[] = []
    return {
      name: 'recorder',
      asked,
      async *stream(given) {
        asked.push(given)
        yield* reply
      },
    }
  }

  test('is asked without secrets, and a message keeps its bytes however much is learnt later', async () => {
    const { firewall } = await project()
    const model = recorder([{ type: 'finish', reason: 'stop' }])
    const first: Message = { role: 'user', text: `use ${key} and c0rrect-h0rse-9` }
    const call = { id: '1', name: 'run_command', input: JSON.stringify({ command: `echo ${other}` }) }
    const reply: Message = { role: 'assistant', text: 'ok', calls: [call], reasoning: other, tokens: [1, 2] }
    const guarded = firewall.model(model)

    for await (const _ of guarded.stream(request([first]), new AbortController().signal));
    await firewall.outgoing('password=c0rrect-h0rse-9')
    for await (const _ of guarded.stream(request([first, reply]), new AbortController().signal));

    expect(JSON.stringify(model.asked)).not.toMatch(new RegExp(`${key}|${other}`))
    expect(model.asked[1]?.messages[0]).toEqual(model.asked[0]?.messages[0])
    expect(model.asked[1]?.messages[1]).not.toHaveProperty('tokens')
    expect(model.asked[1]?.system).toBe(model.asked[0]?.system)
  })

  test('is heard without secrets, however its words are cut; its calls are left to be run', async () => {
    const { firewall } = await project()
    const call = { id: '1', name: 'write_file', input: `{"content":"${key}"}` }
    const deltas = Array.from(`It is ${key}. Done`, (text): ModelEvent => ({ type: 'text-delta', text }))
    const model = recorder([
      { type: 'reasoning-delta', text: other.slice(0, 9) },
      { type: 'reasoning-delta', text: other.slice(9) },
      ...deltas,
      { type: 'tool-call', call },
      { type: 'finish', reason: 'tool-calls' },
    ])

    const heard: ModelEvent[] = []
    for await (const event of firewall.model(model).stream(request([]), new AbortController().signal))
      heard.push(event)

    const said = (type: string) =>
      withoutTag(heard.map((event) => ('text' in event && event.type === type ? event.text : '')).join(''))
    expect(said('reasoning-delta')).toBe('[secret:github-token:2]')
    expect(said('text-delta')).toBe('It is [secret:aws-key:1]. Done')
    expect(heard.slice(-2)).toEqual([
      { type: 'tool-call', call },
      { type: 'finish', reason: 'tool-calls' },
    ])
  })
})
