/**
 * A scripted model from a file of JSON lines, one line per reply, blank lines and `//` lines left out:
 *
 *   {"text": "It says hello."}
 *   {"text": "Let me look.", "calls": [{"name": "read_file", "input": {"path": "a.txt"}}]}
 *   {"reasoning": "Hm.", "text": "Cut he", "finish": "length", "usage": {"prompt": 10, "completion": 3}}
 *   {"text": "Half a ", "error": {"code": "model-unavailable", "message": "the server went away"}}
 *
 * `input` given as a string is passed on byte for byte, so that broken arguments can be scripted too.
 */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { AppError, errorMessage } from '../protocol/error.ts'
import {
  calls,
  createScriptedModel,
  fails,
  finish,
  says,
  thinks,
  type ScriptedEvent,
  type ScriptedModel,
  type ScriptedModelOptions,
} from './scripted.ts'

const ScriptLine = z.strictObject({
  text: z.string().optional(),
  reasoning: z.string().optional(),
  calls: z
    .array(
      z.strictObject({ name: z.string(), input: z.union([z.record(z.string(), z.unknown()), z.string()]) }),
    )
    .default([]),
  finish: z.enum(['stop', 'length', 'tool-calls', 'filter', 'unknown']).optional(),
  usage: z.strictObject({ prompt: z.int(), completion: z.int(), cached: z.int().optional() }).optional(),
  error: z
    .strictObject({
      code: z.enum([
        'credential',
        'rate-limited',
        'model-unavailable',
        'request-invalid',
        'context-overflow',
      ]),
      message: z.string(),
      status: z.int().optional(),
    })
    .optional(),
})
type ScriptLine = z.infer<typeof ScriptLine>

export async function loadScript(path: string, options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const lines = (await readScript(path)).split('\n')
  const replies = lines.flatMap((line, index) =>
    line.trim() === '' || line.startsWith('//') ? [] : [toReply(parseLine(line, `${path}:${index + 1}`))],
  )
  return createScriptedModel(replies, options)
}

async function readScript(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new AppError('config-invalid', `Cannot read the script ${path}: ${errorMessage(error)}.`, {
      cause: error,
    })
  }
}

function parseLine(line: string, place: string): ScriptLine {
  try {
    return ScriptLine.parse(JSON.parse(line))
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : errorMessage(error)
    throw new AppError('config-invalid', `${place}: this line is not a valid scripted reply. ${reason}`, {
      cause: error,
    })
  }
}

function toReply(line: ScriptLine): ScriptedEvent[] {
  return [
    ...(line.reasoning ? [thinks(line.reasoning)] : []),
    ...(line.text ? [says(line.text)] : []),
    ...line.calls.map((call) => calls(call.name, call.input)),
    ...(line.usage ? [reports(line.usage)] : []),
    ...(line.finish ? [finish(line.finish)] : []),
    ...(line.error ? [fails(toError(line.error))] : []),
  ]
}

const reports = ({ cached, ...usage }: NonNullable<ScriptLine['usage']>): ScriptedEvent => ({
  type: 'usage',
  usage: cached === undefined ? usage : { ...usage, cached },
})

const toError = ({ code, message, status }: NonNullable<ScriptLine['error']>): AppError =>
  new AppError(code, message, status === undefined ? {} : { status })
