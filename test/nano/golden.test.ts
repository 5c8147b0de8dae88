/** Nano is asked exactly as it was trained: everything here is compared with what the Python modules make of it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  callBody,
  callSegments,
  classifySegments,
  cut,
  cutResult,
  fieldToken,
  forms,
  formToken,
  labelToken,
  MAX_REQUEST,
  reasons,
  reasonToken,
  noSources,
  REFUSE,
  resultSegments,
  type Sources,
  systemSegments,
  userSegments,
} from '../../src/nano/weights/format.ts'
import { classificationFields } from '../../src/nano/weights/classify.ts'
import { formsAfter } from '../../src/nano/replies/forms.ts'
import { clausesOf } from '../../src/nano/request/clauses.ts'
import { clauseSources, findSources } from '../../src/nano/project/sources.ts'
import { recentPaths } from '../../src/nano/project/recent.ts'
import { createFiles } from '../../src/guard/paths/files.ts'
import { tempProject } from '../support/project.ts'
import { matchLines } from '../../src/nano/project/lines.ts'
import { createPathIndex } from '../../src/nano/paths/named.ts'
import { globCandidates, projectScripts, requestScripts } from '../../src/nano/project/scripts.ts'
import { boundaries } from '../../src/nano/request/spans.ts'
import { typed } from '../../src/nano/request/spoken.ts'
import { isActing, nanoTools, offers, signature } from '../../src/nano/weights/tools.ts'
import {
  bareNames,
  gitCommands,
  gitWords,
  runners,
  stopWords,
  typeWords,
} from '../../src/nano/request/words.ts'
import type { Segment } from '../../src/embedded/segment.ts'
import { contract, type Folder, golden, heldOutFolder } from '../embedded/support/nano-data.ts'

const sourcesOf = (request: string, folder: Folder): Sources => {
  const index = createPathIndex(Object.keys(folder))
  const scripts = requestScripts(request, projectScripts(folder), index.ranks(request))
  return { paths: index.match(request), scripts, ids: [], lines: [] }
}

const linesOf = (request: string, folder: Folder): [string, number, string][] => {
  const ranks = createPathIndex(Object.keys(folder)).ranks(request)
  const lines = matchLines(request, new Map(Object.entries(folder)), ranks)
  return lines.map(({ path, number, text }) => [path, number, text])
}

const toPairs = ({ scripts }: Sources): string[][] => scripts.map(({ label, command }) => [label, command])

const sorted = (words: Iterable<string>): string[] => [...words].toSorted()

describe('tables', () => {
  test('every tool is shown with the line, the parameters and the kinds it was trained with', () => {
    const tools = Object.fromEntries(
      Array.from(nanoTools.values(), (tool) => [
        tool.name,
        { signature: signature(tool), parameters: tool.parameters, forms: formsOf(tool.name) },
      ]),
    )

    expect(tools).toEqual(
      Object.fromEntries(
        Object.entries(contract.tools).map(
          ([
            name,
            {
              signature: line,
              parameters,
              forms: { ok, failed },
            },
          ]) => [name, { signature: line, parameters, forms: { ok: sorted(ok), failed: sorted(failed) } }],
        ),
      ),
    )
    expect(offers).toEqual(contract.offers)
  })

  const formsOf = (tool: string) => ({
    ok: sorted(formsAfter(tool, true)),
    failed: sorted(formsAfter(tool, false)),
  })

  test('every special token is spelled as in the vocabulary', () => {
    expect(forms.map(formToken).concat(REFUSE).toSorted()).toEqual(sorted(Object.values(contract.forms)))
    expect(reasons.map(reasonToken)).toEqual(Object.values(contract.reasons))
    expect(classificationFields.map(({ after }) => after)).toEqual(
      Object.keys(contract.fields).map(fieldToken),
    )
    expect(classificationFields.map(({ labels }) => labels)).toEqual(
      Object.entries(contract.fields).map(([field, labels]) =>
        Object.keys(labels).map((label) => labelToken(field, label)),
      ),
    )
  })

  test('the words that sources go by are the same', () => {
    const { sources } = contract

    expect(sorted(stopWords)).toEqual(sources.stop_words)
    expect(Object.fromEntries(typeWords)).toEqual(sources.type_words)
    expect(Object.fromEntries(runners)).toEqual(sources.runners)
    expect(sorted(gitWords)).toEqual(sources.git_words)
    expect(gitCommands).toEqual(sources.git_commands)
    expect(sorted(bareNames)).toEqual(sources.bare_names)
  })

  test('what the evaluation calls harmful is held to be acting', () => {
    const harmful = [
      'write_file',
      'edit_file',
      'apply_patch',
      'run_command',
      'python',
      'javascript',
      'job_stop',
    ]

    expect(harmful.filter((name) => !isActing(name))).toEqual([])
    expect(isActing('a_tool_nobody_knows')).toBe(true)
    expect(isActing('read_file')).toBe(false)
  })
})

describe('sources and spans', () => {
  test.each(golden.requests)(
    'of a request with its own rule: $request',
    ({ request, prompt, ...expected }) => {
      const sources = sourcesOf(request, golden.files)
      const { starts, ends } = boundaries(request)

      expect({
        paths: sources.paths,
        scripts: toPairs(sources),
        globs: globCandidates(request, sources.paths),
        starts,
        ends,
      }).toEqual(expected)
      expect(userSegments(cut(request, MAX_REQUEST, 0), sources)).toEqual(prompt)
    },
  )

  test('of the held-out requests', () => {
    const found = golden.heldOut.map(({ request, folder }) => {
      const sources = sourcesOf(request, heldOutFolder(folder))
      const globs = globCandidates(request, sources.paths)
      const { starts, ends } = boundaries(request)
      const lines = linesOf(request, heldOutFolder(folder))
      return { request, paths: sources.paths, scripts: toPairs(sources), globs, starts, ends, folder, lines }
    })

    expect(found).toEqual(golden.heldOut)
  })

  test('of dictated requests', () => {
    expect(golden.spoken.map(([said]) => [said, typed(said)])).toEqual(golden.spoken)
  })
})

describe('clauses', () => {
  test('are cut where an order follows', () => {
    expect(golden.clauses.map(([request]) => [request, clausesOf(request)])).toEqual(golden.clauses)
  })

  test('later ones may mean what the steps before them were about', () => {
    const found = golden.recent.map(({ steps }) => ({
      steps,
      paths: recentPaths(steps.map(([name, input, ok, text]) => ({ call: { name, input }, ok, text }))),
    }))

    expect(found).toEqual(golden.recent)
  })

  test('each has its own sources', async () => {
    const files = createFiles({ root: await tempProject(golden.lined) })
    const found = await Promise.all(
      golden.later.map(async ({ request, recent }) => {
        const last = clausesOf(request).at(-1) ?? ''
        const shown = [
          await findSources(request, files),
          await clauseSources({ clause: last, whole: request, recent }, files),
        ]
        return { request, recent, sources: shown.map(toRows) }
      }),
    )

    expect(found).toEqual(golden.later)
  })

  const toRows = (sources: Sources) => [
    sources.paths,
    toPairs(sources),
    sources.lines.map(({ path, number, text }) => [path, number, text]),
  ]
})

describe('prompts', () => {
  test('a conversation of two calls', () => {
    const sources: Sources = {
      paths: ['a b.ts', 'src/'],
      scripts: [
        { label: 'test', command: 'npm test' },
        { label: '', command: 'git status' },
      ],
      ids: [{ id: 'job-1', what: 'npm run dev' }],
      lines: [],
    }
    const edit = callBody('edit_file', { path: 'a b.ts', old: 'say "hi"\n', new: 'größer\t\\' })
    const read = callBody('read_file', { path: 'a b.ts', from: 12 })

    const segments: Segment[] = [
      ...systemSegments(offers.write.flatMap((name) => nanoTools.get(name) ?? []).map(signature)),
      ...userSegments('change it', sources),
      ...callSegments(edit),
      ...resultSegments({ ok: false, text: cutResult('no match '.repeat(300)) }),
      ...callSegments(read),
      ...resultSegments({
        ok: true,
        text: '12\tsay',
        clause: 'then change it',
        sources: { ...noSources, paths: ['a b.ts'], lines: [{ path: 'a b.ts', number: 12, text: 'say' }] },
      }),
    ]

    expect(segments).toEqual(golden.conversation)
  })

  test('a classification, of long requests the head and the tail', () => {
    expect(golden.requests.map(({ request }) => classifySegments(request))).toEqual(golden.classify)
  })
})

const hasPython = spawnSync('python3', ['--version']).status === 0

test.skipIf(!hasPython)('the golden file is what the Python modules say today (needs python3)', () => {
  const root = new URL('../../', import.meta.url)

  expect(() =>
    execFileSync('python3', ['-m', 'nano.golden', '--check'], { cwd: root, stdio: 'pipe' }),
  ).not.toThrow()
  expect(readFileSync(new URL('nano/contract.json', root), 'utf8')).toContain('special_tokens')
})
