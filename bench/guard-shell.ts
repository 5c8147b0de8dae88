/**
 * What judging costs: everyday commands, hard ones and one megabyte; and what the sandbox adds to a command. The verdict
 * is given while a person or a model waits, so the slowest counts. Repeat with: npx tsx bench/guard-shell.ts
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createExec } from '../src/guard/exec.ts'
import { judgeCommand } from '../src/guard/shell/judge.ts'
import { detectSandbox } from '../src/guard/sandbox/detect.ts'

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0

async function measure(name: string, times: number, act: () => Promise<unknown>): Promise<void> {
  await act()
  const taken: number[] = []
  for (let round = 0; round < times; round++) {
    const started = performance.now()
    await act()
    taken.push(performance.now() - started)
  }
  const [p50, p99] = [percentile(taken, 0.5), percentile(taken, 0.99)]
  console.log(
    `${name.padEnd(40)} p50 ${p50.toFixed(2).padStart(7)} ms   p99 ${p99.toFixed(2).padStart(7)} ms`,
  )
}

const rules = { allow: ['npm test', 'git'], deny: ['rm -rf', 'git push', 'sudo'] }
const commands: Readonly<Record<string, string>> = {
  'a plain command': 'npm test -- --run',
  'a pipeline': "grep -rn 'TODO' src | sort | uniq -c | sort -rn | head -20",
  'a script of 40 lines': 'for f in a b; do\n  echo "$f" | sed s/a/b/ > out\ndone\n'.repeat(13),
  '8,000 characters of nesting': '$('.repeat(4000),
  '8,000 characters of quotes': `"'`.repeat(4000),
  'one megabyte of words': 'ls -la src; '.repeat(90_000),
  'one megabyte in one word': 'x'.repeat(1_048_576),
  'one megabyte of quotes': `"'\\`.repeat(350_000),
}

for (const [name, command] of Object.entries(commands)) {
  await measure(name, command.length > 100_000 ? 50 : 300, () => judgeCommand(command, rules))
}

/** A folder with this many files, ten to a folder; one of them is a secret. */
async function folderOf(files: number): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'covey-bench-'))
  await writeFile(join(cwd, '.env'), 'KEY=1')
  for (let index = 0; index < files; index += 10) {
    const folder = join(cwd, `part${index % 20}`, `folder${index}`)
    await mkdir(folder, { recursive: true })
    await Promise.all(Array.from({ length: 10 }, (_, each) => writeFile(join(folder, `${each}.ts`), '')))
  }
  return cwd
}

for (const files of [0, 20_000]) {
  const cwd = await folderOf(files)
  const sandbox = await detectSandbox({ roots: [cwd] })
  const options = { timeoutMs: 10_000, signal: new AbortController().signal }
  const plain = createExec({ cwd })
  const among = `, ${files} files`
  await measure(`\`true\` outside a sandbox${among}`, 50, () => plain.shell('true', options))
  if ('missing' in sandbox) console.log(`no sandbox: ${sandbox.missing}`)
  else {
    const confined = createExec({ cwd, sandbox })
    await measure(`\`true\` in the sandbox${among}`, 50, () => confined.shell('true', options))
    await confined.close()
    await sandbox.close()
  }
  await plain.close()
  await rm(cwd, { recursive: true })
}
