/**
 * Which commands have passed in this session since anything else was run or written. With that a model may end a task that has a
 * check: it runs the check as every other command, and what it says about the task is compared with what came back.
 */
import { isObject } from '../lib/json.ts'
import { isStillRunning } from '../lib/still-running.ts'
import type { Tool, ToolResult } from '../protocol/tool.ts'

export type PassedCommands = {
  has(command: string): boolean
  /** The same tool, watched. */
  around(tool: Tool): Tool
}

export function watchCommands(): PassedCommands {
  const passed = new Set<string>()
  const note = (tool: Tool, input: unknown, result: ToolResult): void => {
    const command = tool.name === 'run_command' ? commandOf(input) : undefined
    // A second check may follow the first; after everything else the project may be another.
    if (command === undefined || !result.ok || isStillRunning(result.text)) return passed.clear()
    passed.add(command)
  }
  return {
    has: (command) => passed.has(command),
    around: (tool) =>
      tool.category !== 'run' && tool.category !== 'write'
        ? tool
        : {
            ...tool,
            run: async (input, context) => {
              const result = await tool.run(input, context)
              note(tool, input, result)
              return result
            },
          },
  }
}

/** Nothing for one that was started in the background: it has not ended. */
function commandOf(input: unknown): string | undefined {
  if (!isObject(input) || input['background'] === true) return undefined
  const { command } = input
  return typeof command === 'string' ? command.trim() : undefined
}
