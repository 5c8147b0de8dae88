import { existsSync, readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../src/config/load.ts'
import { commands } from '../src/cli/commands.ts'
import { promptCommand } from '../src/cli/run.ts'
import { tempHome } from './config/home.ts'
import { codeBlocks, wrongCalls } from './support/docs.ts'

const root = new URL('../', import.meta.url)

function blocksOf(language: string): { place: string; text: string }[] {
  const pages = readdirSync(new URL('docs/', root)).filter((name) => name.endsWith('.md'))
  const files = ['README.md', ...pages.map((name) => `docs/${name}`)].filter((file) =>
    existsSync(new URL(file, root)),
  )
  return files.flatMap((file) =>
    codeBlocks(readFileSync(new URL(file, root), 'utf8'))
      .filter((block) => block.language === language)
      .map(({ line, text }) => ({ place: `${file}:${line}`, text })),
  )
}

describe('what the documentation shows is true', () => {
  test('TOML is a valid configuration', async () => {
    const readings = await Promise.all(
      blocksOf('toml').map(async ({ place, text }) => {
        const reading = await readConfig(tempHome({ user: text }))
        return reading.ok ? [] : reading.problems.map((problem) => `${place}: ${problem}`)
      }),
    )

    expect(readings.flat()).toEqual([])
  })

  test('command lines name commands and flags that exist', () => {
    const wrong = blocksOf('sh').flatMap(({ place, text }) =>
      wrongCalls(text, commands, promptCommand).map((problem) => `${place}: ${problem}`),
    )

    expect(wrong).toEqual([])
  })

  test('the examples of each command do, too', () => {
    const examples = [promptCommand, ...commands].flatMap((command) => command.examples)

    expect(wrongCalls(examples.join('\n'), commands, promptCommand)).toEqual([])
  })

  test('TypeScript can be parsed', () => {
    const wrong = blocksOf('ts').flatMap(({ place, text }) => {
      const { diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true })
      return diagnostics.map(
        ({ messageText }) => `${place}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      )
    })

    expect(wrong).toEqual([])
  })
})

describe('the checker', () => {
  const bare = {
    name: 'covey',
    options: [
      { flags: '-m, --model <name>', description: '' },
      { flags: '--json', description: '' },
    ],
  }
  const commands = [
    { name: 'config', options: [{ flags: '--profile <name>', description: '' }] },
    { name: 'doctor' },
  ]

  test('code blocks are found with their language and line', () => {
    const markdown =
      '# Title\n\n```sh\ncovey\n```\n\n- list\n\n  ```toml\n  a = 1\n  ```\n\n```\nplain\n```\n'

    expect(codeBlocks(markdown)).toEqual([
      { language: 'sh', line: 4, text: 'covey\n' },
      { language: 'toml', line: 10, text: '  a = 1\n' },
    ])
  })

  test.each([
    'covey',
    'covey "fix --all of it"',
    "$ covey --model x 'a' # --nonsense",
    'git diff | covey --json "Review | this"',
    'KEY=1 npx covey -m=x "a" && covey doctor --help',
    'covey --model qwen config show --profile work',
    'covey --json \\\n  --model x "a"',
    'echo covey nonsense; ls --all',
  ])('nothing is wrong with %s', (line) => {
    expect(wrongCalls(line, commands, bare)).toEqual([])
  })

  test.each([
    ['covey confg show', 'covey has no command confg'],
    ['ls | covey doctr', 'covey has no command doctr'],
    ['covey --modle x "a"', 'covey has no flag --modle'],
    ['covey doctor --json', 'covey doctor has no flag --json'],
    ['covey --profile x config show', 'covey has no flag --profile'],
  ])('%s is wrong', (line, problem) => {
    expect(wrongCalls(line, commands, bare)).toEqual([problem])
  })
})
