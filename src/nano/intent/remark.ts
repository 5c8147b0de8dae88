/**
 * Whether something is said behind an order that is no further order, no place, no reason and no thanks: "rename a.txt to b.txt, right,
 * because we never learn", "copy a.txt to b.txt. oh, wrong folder". It may take the order back or mock it, in words no list of signs
 * holds, so such an order is asked for. Pure.
 */
import { around } from './mood.ts'
import { isImperative, ordersAct } from './order.ts'
import type { NanoCall } from '../steps/run.ts'

export function hasRemark(call: NanoCall, request: string): boolean {
  const parts = around(call, request).split(PARTS)
  const first = parts.findIndex(isOrdered)
  return first >= 0 && parts.slice(first + 1).some((part) => !isOrdered(part) && !HARMLESS.test(part))
}

const PARTS = /[.!?;\n]+(?=\s|$)|,\s+|\s[-–—]+\s|:\s+(?=(?:that|this|thus|these|those|such|it|so)\b)/u

const isOrdered = (part: string): boolean => isImperative(part) || ordersAct(part)

/** Thanks, places, reasons, what the text is, or nothing but marks and names. */
const HARMLESS =
  /^\W*(?:…\W*)*$|^\W*(?:please|pls|plz|kindly|thanks?|thank you|thx|ta|cheers|ok(?:ay)?|now|today|asap|right away|quick(?:ly)?|if you|would you|will you|could you|and|then|also|too|plus|in|into|inside|to|at|on|under|below|above|from|with|without|as(?! (?:the saying|they say|they said|we say|\S+ (?:says|said|would say|used to say)))|for|by|via|called|named|saying|reading|containing|after|before|so|because|since|cause|cos|due to|which|where|who|the|a|an|all|every|each|both|only|just|it'?s? (?:in|at|on|under|needs|should|must|has)|that'?s? (?:in|the file|the one)|i (?:need|want|would|'d)|we (?:need|want)|this (?:time|one)|one|two|three|first|second|third|next|finally|last(?:ly)?|file|line|folder|content|text)\b|^\W*\S*[./_\d]\S*\W*$/u
