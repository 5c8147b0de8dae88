import type { Tool, ToolContext, ToolResult } from '../../src/protocol/tool.ts'

/** Parses as the engine does, then runs; a thrown AppError is thrown. */
export const callTool = (tool: Tool, input: unknown, context: ToolContext): Promise<ToolResult> =>
  tool.run(tool.input.parse(input), context)
