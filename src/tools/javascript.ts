/** JavaScript that remembers, in a Node of its own: what one call defines the next one can use. */
import { z } from 'zod'
import { defineTool, type Tool } from '../protocol/tool.ts'
import { checkCode, createInterpreter, interpreterLimits } from './interpreter/open.ts'
import { toFunctionBody } from './interpreter/javascript-code.ts'
import { javascriptDriver, javascriptWorker } from './interpreter/javascript.ts'

/** Made once per session: the interpreter is its own. */
export function createJavascript(limits = interpreterLimits): Tool {
  const interpreter = createInterpreter(
    {
      name: 'JavaScript',
      argv: [process.execPath, '-e', javascriptDriver, javascriptWorker],
      missing: `${process.execPath} is not there any more; use run_command instead.`,
      prepare: toFunctionBody,
    },
    limits,
  )
  return defineTool({
    name: 'javascript',
    description: 'Run JavaScript (Node). Variables stay; %reset clears',
    category: 'run',
    input: z.object({ code: z.string() }),
    timeoutMs: Infinity,
    access: ({ code }) => [{ kind: 'run', target: code, language: 'JavaScript' }],
    check: ({ code }) => checkCode('code.js', code),
    run: ({ code }, context) => interpreter.run(code, context),
  })
}
