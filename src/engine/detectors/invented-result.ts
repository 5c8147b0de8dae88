/**
 * Text that plays both sides: a tool result, or a whole further exchange, written by the model itself. What stands before
 * it may be used; nothing in it ever happened. Dialogues that were asked for, quotes and code are none.
 */
import type { ReplyDetector } from './detector.ts'

export const inventedResult: ReplyDetector = ({ text }, { prompt, toolNames, mayAct }) => {
  if (!mayAct || toolNames.length === 0 || inventedFrom(text, prompt) === undefined) return undefined
  return {
    detector: 'invented-result',
    note: 'You wrote a tool result yourself. Only results that come back from real tool calls count: make the call.',
    otherwise: 'No tool was run in that reply. Call the tool and wait for its result.',
    again: 2,
    notes: 2,
  }
}

/** Where the invention starts, in characters; nothing where there is none. */
export function inventedFrom(text: string, prompt: string): number | undefined {
  if (ABOUT_DIALOGUES.test(prompt)) return undefined
  const plain = text.replaceAll(/```[\s\S]*?(?:```|$)/g, (block) =>
    RESULT_TAG.test(block) ? block : ' '.repeat(block.length),
  )
  const at = [RESULT, TURN].map((pattern) => plain.search(pattern)).filter((index) => index >= 0)
  return at.length === 0 ? undefined : Math.min(...at)
}

const ABOUT_DIALOGUES =
  /\b(?:dialog(?:ue)?|conversation|transcript|chat|role[- ]?play|interview|tool (?:results?|responses?|output)|prompt template|few-shot|log format)\b/i

const RESULT_TAG =
  /<\/?(?:tool_response|tool_result|function_results?|function_response|tool_output|observation)>/i

const RESULT = new RegExp(
  [
    RESULT_TAG.source,
    String.raw`^\s*(?:\*\*|#+\s*)?(?:\[(?:tool[_ ]?)?(?:result|output|response)\]|observation\s*:|(?:tool|function|command)[_ ](?:result|output|response)s?\s*:|(?:result|output|response) (?:of|from) (?:the )?(?:tool|\w+_\w+|function)\b[^\n]{0,40}:)`,
    String.raw`^\s*\[(?:TOOL_RESULTS?|RESULTS?)\]`,
    String.raw`<\|im_start\|>(?:tool|user)|<\|start_header_id\|>(?:tool|ipython|user)|<start_of_turn>user|\[INST\]`,
  ].join('|'),
  'im',
)

/** The other speaker's turn after something was said. */
const TURN = /(?<=\S[^\n]*\n+)^(?:\*\*)?(?:user|human|assistant|system|tool)(?:\*\*)?\s*:(?:\*\*)?\s+\S/im
