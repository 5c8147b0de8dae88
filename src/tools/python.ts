/** Python that remembers: what one call defines the next one can use. */
import { z } from 'zod'
import { defineTool, type Tool } from '../protocol/tool.ts'
import { checkCode, createInterpreter, interpreterLimits } from './interpreter/open.ts'
import { pythonDriver } from './interpreter/python.ts'

/** Made once per session: the interpreter is its own. */
export function createPython(limits = interpreterLimits): Tool {
  const interpreter = createInterpreter(
    {
      name: 'Python',
      argv: ['python3', '-c', pythonDriver],
      missing: 'python3 is not installed here; use javascript or run_command instead.',
    },
    limits,
  )
  return defineTool({
    name: 'python',
    description: 'Run Python. Variables stay; %reset clears',
    category: 'run',
    input: z.object({ code: z.string() }),
    timeoutMs: Infinity,
    access: ({ code }) => [{ kind: 'run', target: code, language: 'Python' }],
    check: ({ code }) => checkCode('code.py', code),
    run: ({ code }, context) => interpreter.run(code, context),
  })
}
