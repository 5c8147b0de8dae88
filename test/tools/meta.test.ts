import { describe, expect, test } from 'vitest'
import { AppError } from '../../src/protocol/error.ts'
import type { Tool } from '../../src/protocol/tool.ts'
import { builtinTools } from '../../src/tools/all.ts'
import { askUserTool } from '../../src/tools/ask-user.ts'
import { callToolTool } from '../../src/tools/call-tool.ts'
import { listResultsTool } from '../../src/tools/list-results.ts'
import { createMoreTools } from '../../src/tools/more-tools.ts'
import { readResultTool } from '../../src/tools/read-result.ts'
import { createSelectCategory } from '../../src/tools/select-category.ts'
import { systemInfoTool } from '../../src/tools/system-info.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { callTool } from './call.ts'

const all: readonly Tool[] = builtinTools({ list: () => all })

describe('more_tools', () => {
  const moreTools = createMoreTools(() => all)

  test('lists a category in one line each', async () => {
    expect((await callTool(moreTools, { category: 'Run' }, toolContext(await tempProject()))).text).toBe(
      [
        'run_command(command, [background]) - Run in bash',
        'job_output(id) - New output of a background job',
        'job_stop(id) - Stop a background job',
        'python(code) - Run Python. Variables stay; %reset clears',
        'javascript(code) - Run JavaScript (Node). Variables stay; %reset clears',
        'Use one with call_tool {name, arguments}.',
      ].join('\n'),
    )
  })

  test('without a category it names them all, and never the tools that lead to tools', async () => {
    const { text } = await callTool(moreTools, {}, toolContext(await tempProject()))

    expect(text.split('\n')).toEqual([
      'read: list_files, read_file, read_result, list_results, data_view',
      'write: edit_file, write_file, apply_patch, make_folder, copy_file, move_file, delete_file',
      'search: search_text, find_files',
      'run: run_command, job_output, job_stop, python, javascript',
      'web: fetch_url',
      'meta: ask_user, system_info',
    ])
  })

  test.each(['files', 'memory'])(
    'a category that is not there (%s) is a failure that names those that are',
    async (category) => {
      await expect(callTool(moreTools, { category }, toolContext(await tempProject()))).rejects.toThrow(
        new RegExp(`There is no category "${category}"\\.\nread: list_files`),
      )
    },
  )

  test('of very many it shows a part and names others, which can be asked for by their beginning', async () => {
    const many = Array.from({ length: 200 }, (_, index) => ({
      ...askUserTool,
      name: `mcp__${index < 100 ? 'shop' : 'bank'}__tool${index}`,
      description: 'Does one of very many things that a server can do for its clients',
    }))
    const context = toolContext(await tempProject(), { pageTokens: 400 })
    const tool = createMoreTools(() => many)

    const { text } = await callTool(tool, { category: 'meta' }, context)
    const asked = await callTool(tool, { category: 'mcp__bank__tool101' }, context)

    expect(text).toMatch(
      /^mcp__shop__tool0\(question, \[options\]\) - Does[^]*\nmcp__shop__tool\d+, .* and \d+ more: their names as category show more\nUse one with call_tool/,
    )
    expect(context.countTokens(text)).toBeLessThanOrEqual(400)
    expect(asked.text).toMatch(
      /^mcp__bank__tool101\(question, \[options\]\) - Does.*\nUse one with call_tool/,
    )
    expect((await callTool(tool, {}, context)).text).toMatch(/^meta: mcp__shop__tool0, .* and 170 more$/)
  })

  test('sees what was added after it was made', async () => {
    const list: Tool[] = []
    const tool = createMoreTools(() => list)
    list.push(askUserTool)

    expect((await callTool(tool, { category: 'meta' }, toolContext(await tempProject()))).text).toContain(
      'ask_user(question, [options]) - Ask the user',
    )
  })
})

describe('select_category', () => {
  const selectCategory = createSelectCategory(() => all)

  test('shows the tools of a category, or sends to the answer', async () => {
    const context = toolContext(await tempProject())

    expect((await callTool(selectCategory, { category: 'search' }, context)).text).toBe(
      'You can use:\nsearch_text(pattern, [path]) - Search by regex\nfind_files(pattern) - Find files by glob, such as **/*.ts',
    )
    expect((await callTool(selectCategory, { category: 'answer' }, context)).text).toMatch(/^Answer/)
    expect((await callTool(selectCategory, { category: 'memory' }, context)).text).toMatch(
      /^No tools in memory/,
    )
  })

  test('an unknown category does not parse', () => {
    expect(selectCategory.input.safeParse({ category: 'files' }).success).toBe(false)
  })
})

test('call_tool itself only says what it needs', async () => {
  await expect(callTool(callToolTool, {}, toolContext(await tempProject()))).rejects.toThrow(
    /`name` of a tool/,
  )
})

describe('results', () => {
  test('are listed, newest first, and read page by page', async () => {
    const context = toolContext(await tempProject(), { pageTokens: 60 })
    const text = Array.from({ length: 40 }, (_, index) => `row ${index}`).join('\n')
    await context.results.put('run_command ls', 'a\nb')
    const { id } = await context.results.put('search_text x', text)

    expect((await callTool(listResultsTool, {}, context)).text).toBe(
      'r2  search_text x (40 lines)\nr1  run_command ls (2 lines)',
    )
    const first = await callTool(readResultTool, { id }, context)
    const next = Number(/from=(\d+)/.exec(first.text)?.[1])
    const second = await callTool(readResultTool, { id, from: next }, context)
    expect(first.text).toMatch(/^row 0\nrow 1\n/)
    expect(second.text.split('\n')[0]).toBe(`row ${next - 1}`)
  })

  test('an endless line is read in pieces that join again', async () => {
    const context = toolContext(await tempProject(), { pageTokens: 600 })
    const text = 'abc🦆\u2028'.repeat(1000)
    const { id } = await context.results.put('x', text)
    let read = ''

    for (let from: number | undefined = 1; from !== undefined;) {
      const page: string = (await callTool(readResultTool, { id, from }, context)).text
      read += page
        .split('\n')
        .filter((line) => !line.startsWith('['))
        .join('')
      from = Number(/from=(\d+)\]$/.exec(page)?.[1]) || undefined
    }

    expect(read).toBe(text)
  })

  test('none, an unknown one and a line beyond the end are errors', async () => {
    const context = toolContext(await tempProject())

    expect((await callTool(listResultsTool, {}, context)).text).toBe('No results are stored.')
    await expect(callTool(readResultTool, { id: 'r9' }, context)).rejects.toThrow(/There is no result r9/)
    await context.results.put('x', 'one')
    await expect(callTool(readResultTool, { id: 'r1', from: 5 }, context)).rejects.toThrow(
      'r1 has only 1 line',
    )
  })
})

describe('ask_user', () => {
  test('brings back what the person says', async () => {
    const asked: unknown[] = []
    const context = toolContext(await tempProject(), {
      ask: async (question) => {
        asked.push(question)
        return 'blue'
      },
    })

    expect(
      (await callTool(askUserTool, { question: 'Which?', options: ['red', 'blue'] }, context)).text,
    ).toBe('blue')
    await callTool(askUserTool, { question: 'Why?', options: [] }, context)
    expect(asked).toEqual([{ question: 'Which?', options: ['red', 'blue'] }, { question: 'Why?' }])
  })

  test('with no one to ask it is denied', async () => {
    const context = toolContext(await tempProject(), {
      ask: async () => {
        throw new AppError('permission-denied', 'There is no one to ask.')
      },
    })

    await expect(callTool(askUserTool, { question: 'Which?' }, context)).rejects.toThrow('no one to ask')
    await expect(callTool(askUserTool, { question: ' ' }, context)).rejects.toThrow('question is empty.')
  })
})

test('system_info names the system and what is installed', async () => {
  const { text } = await callTool(systemInfoTool, {}, toolContext(await tempProject()))

  expect(text).toMatch(/ cores, \d+ GiB\nnode: v\d+\.\d+\.\d+\ngit: (?:\d+\.\d+|not installed)/)
})
