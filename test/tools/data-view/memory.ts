/** Looks at a file in a process of its own and says by how much that process grew. */
import { createFiles } from '../../../src/guard/paths/files.ts'
import type { ToolContext } from '../../../src/protocol/tool.ts'
import { dataViewTool } from '../../../src/tools/data-view.ts'

const [root = '', path = '', view = ''] = process.argv.slice(2)
const context = { files: createFiles({ root }), signal: new AbortController().signal } as ToolContext
const before = process.memoryUsage().rss
let most = before
const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20)
const { text } = await dataViewTool.run({ path, view, sql: '' }, context)
clearInterval(timer)
process.stdout.write(JSON.stringify({ text, grownBytes: most - before }))
