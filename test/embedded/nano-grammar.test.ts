/** What nano may write. Judged by llama.cpp's own reading of the grammar. */
import { beforeAll, describe, expect, test } from 'vitest'
import { callBody, noSources, type Sources } from '../../src/embedded/nano-format.ts'
import { nanoGrammar, type Situation } from '../../src/embedded/nano-grammar.ts'
import { createPathIndex } from '../../src/embedded/nano-paths.ts'
import { projectScripts, requestScripts } from '../../src/embedded/nano-scripts.ts'
import { nanoTools, offers, type NanoTool } from '../../src/embedded/nano-tools.ts'
import { golden, heldOutFolder } from './support/nano-data.ts'
import { createMatcher, type Matcher } from './support/nano-matcher.ts'

let matcher: Matcher
beforeAll(async () => {
  matcher = await createMatcher()
})

const toolsOf = (names: readonly string[]): NanoTool[] => names.flatMap((name) => nanoTools.get(name) ?? [])

const situationOf = (request: string, more: Partial<Situation> = {}): Situation => ({
  request,
  sources: noSources,
  tools: toolsOf(offers.read),
  ...more,
})

const callText = (name: string, input: Readonly<Record<string, unknown>>): string =>
  `<tool_call>${callBody(name, input)}</tool_call>`

function sourcesIn(folder: string, request: string): Sources {
  const files = heldOutFolder(folder)
  const index = createPathIndex(Object.keys(files))
  const scripts = requestScripts(request, projectScripts(files), index.ranks(request))
  return { paths: index.match(request), scripts, ids: [] }
}

test('of the held-out calls and spoilt copies of them, exactly those pass that the trained decoder lets pass', () => {
  const judged = golden.calls.filter((_, index) => index % 2 === 0).map(({ request, folder, category, calls }) => {
    const sources = sourcesIn(folder, request)
    const matches = matcher(nanoGrammar({ request, sources, tools: toolsOf(offers[category]) }))
    return { request, calls: calls.map((call) => ({ ...call, accepted: matches(callText(call.name, call.input)) })) }
  })

  expect(judged).toEqual(
    golden.calls.filter((_, index) => index % 2 === 0).map(({ request, calls }) => ({ request, calls })),
  )
})
