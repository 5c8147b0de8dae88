/**
 * A reply that has the shape of a call and was not read as one: it names no known tool, is cut in half, or follows no
 * format. It is never an answer; a note to the model explains what a call is. Where nothing is missing and a text was
 * asked for, a shape like this may be just that text.
 */
import { resolveName } from '../../lib/nearest.ts'
import type { ReplyDetector, Situation } from './detector.ts'

export const callShaped: ReplyDetector = ({ text }, situation) => {
  const { toolNames, mayAct, due, results, prompt } = situation
  if (!mayAct || toolNames.length === 0) return undefined
  const isOpen = due.missing.length > 0
  const body = unwrap(text)
  const isQuote = results.some((result) => result.includes(body.slice(0, LONGEST_LEAD)))
  if (!isOpen && (isQuote || ABOUT_CALLS.test(prompt))) return undefined
  const isCall = shapes.some((shape) => shape(body, situation)) || (isOpen && holdsTorn(text, toolNames))
  if (!isCall) return undefined
  return {
    detector: 'call-shaped',
    note: `That has the shape of a tool call but could not be run as one. The tools are ${toolNames.join(', ')}. Call one of them by its exact name, with its arguments.`,
    otherwise: `Nothing was run. Use the tool call format, not text about it; ${toolNames[0]} is called like any other tool.`,
    isVoid: true,
  }
}

/** A question about call formats may be answered with one. */
const ABOUT_CALLS =
  /\b(?:tool calls?|function calls?|json|xml|example|snippet|payload|request body|schema)\b/i

const LONGEST_LEAD = 200

/** The fenced block alone where little else is said; else all of it. */
function unwrap(text: string): string {
  const fence = /^([\s\S]*?)(?:```|~~~)[\w-]*\n([\s\S]*?)(?:\n\s*(?:```|~~~)\s*([\s\S]*))?$/.exec(text.trim())
  const [, before = '', body, after = ''] = fence ?? []
  const isAlone = body !== undefined && before.length + after.length <= LONGEST_LEAD
  return (isAlone ? body : text).trim()
}

type Shape = (body: string, situation: Situation) => boolean

const isObjectOfCall: Shape = (body, { toolNames, due }) => {
  if (!/^(?:\[\s*)?\{[\s\S]*\}(?:\s*\])?[,;]?$/.test(body)) return false
  const keys = [...body.matchAll(/["']([\w-]+)["']\s*:/g)].map(([, key = '']) => key.toLowerCase())
  const names = keys.some((key) => NAME_KEYS.has(key))
  const hasArguments = keys.some((key) => ARGUMENT_KEYS.has(key))
  if (names && hasArguments) return true
  const nameIsTool = [
    ...body.matchAll(/["'](?:name|tool|tool_name|function|action)["']\s*:\s*["']([\w.-]+)["']/g),
  ].some(([, name = '']) => resolveName(name, toolNames) !== undefined)
  // Arguments alone: nothing else that is asked for here looks like this.
  return (
    nameIsTool ||
    (due.missing.length > 0 && keys.length > 0 && keys.length <= 6 && keys.some((key) => PARAMETERS.has(key)))
  )
}

const NAME_KEYS = new Set([
  'name',
  'tool',
  'tool_name',
  'toolname',
  'function',
  'function_name',
  'action',
  'recipient_name',
  'call',
  'command_name',
])
const ARGUMENT_KEYS = new Set([
  'arguments',
  'args',
  'parameters',
  'params',
  'input',
  'action_input',
  'tool_input',
  'kwargs',
  'inputs',
])
const PARAMETERS = new Set([
  'path',
  'file_path',
  'filepath',
  'file',
  'filename',
  'command',
  'cmd',
  'content',
  'contents',
  'old',
  'new',
  'old_string',
  'new_string',
  'old_text',
  'new_text',
  'pattern',
  'query',
  'regex',
  'category',
  'patch',
])

const isElement: Shape = (body, { toolNames }) => {
  const [, name] = /^<([\w:.-]+)[\s>/=][\s\S]*>$/.exec(body) ?? []
  if (name === undefined) return false
  return (
    CALL_ELEMENTS.test(name) || resolveName(name, toolNames) !== undefined || /^[a-z]+_[a-z_]+$/.test(name)
  )
}

const CALL_ELEMENTS =
  /^(?:tool|tool_?calls?|function_?calls?|function|invoke|action|call|use_tool|tool_use|minimax:.*|antml:.*|parameter)$/i

const isLabelled: Shape = (body) =>
  /^(?:#+\s*|\*\*)?(?:tool(?:[_ ](?:name|call|use))?|function(?:[_ ]call)?|action|call|command|invoke|using tool)\**\s*[:=]\s*\**\s*[`"']?[\w.-]+[`"']?\**[\s\S]{0,40}?(?:arguments?|args|parameters|params|input|action input|with)\**\s*[:=]?\s*[{`"'\w]/i.test(
    body,
  ) && body.length < 6000

const isInvocation: Shape = (body, { toolNames, due }) => {
  const [, name] =
    /^(?:print\(|await |return |result = |\w+ = )?([A-Za-z_][\w.]*)\s*\(\s*(?:[\w"'{[][\s\S]*)?\)+;?$/.exec(
      body,
    ) ?? []
  if (name === undefined || /\n\s*(?:def|function|class|import)\b/.test(body)) return false
  if (resolveName(name, toolNames) !== undefined) return true
  return due.missing.length > 0 && /^[a-z]+(?:_[a-z]+)+$/.test(name) && /\(\s*(?:\w+\s*[=:]|["'{])/.test(body)
}

const isMarked: Shape = (body) =>
  /^(?:\[TOOL_CALLS?\]|<\|(?:tool_call|python_tag|channel|function|plugin)[^>]*\|?>|functools\[|✿FUNCTION✿|<｜tool|\[\[tool|@tool\b)/i.test(
    body,
  )

const shapes: readonly Shape[] = [isObjectOfCall, isElement, isLabelled, isInvocation, isMarked]

/** Half a call among words: a name key with a known tool that nothing closes, or a tag that was opened. */
function holdsTorn(text: string, toolNames: readonly string[]): boolean {
  const [, named] =
    /\{\s*["']?(?:name|tool|function)["']?\s*:\s*["']?([\w.-]+)["']?\s*,[\s\S]*$/.exec(text) ?? []
  if (named !== undefined && resolveName(named, toolNames) !== undefined) return true
  return /<(?:tool_call|function_call|function=[\w.-]+|invoke\b|tool_use)[^>]*>(?![\s\S]*<\/(?:tool_call|function_call|function|invoke|tool_use)>)/i.test(
    text,
  )
}
