/**
 * What in a text a tokenizer may take for a control token. A file that holds `<|im_end|>` must not end a message: where
 * a server takes tokens such text is sent as plain ones, where it takes only text it is broken up by an invisible
 * character. What the model then writes is joined again.
 */
import type { Family } from '../dialect/families/family.ts'

/** WORD JOINER: invisible, part of no control token, and no reason to break a line. */
const BREAK = '\u2060'

/** The forms in which families write their control tokens, whatever the template. */
const USUAL = [
  String.raw`<\|[^<>|\n]{1,60}\|>`,
  String.raw`<｜[^<>｜\n]{1,60}｜>`,
  String.raw`<\/?(?:s|bos|eos|pad|unk|mask)>`,
  '<(?:start|end)_of_turn>',
  String.raw`\[\/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT|ARGS|CALL_ID|THINK)\]`,
]

/** Tags and bracketed words: what a template builds on. */
const TAGS = /<[^<>\s'"{}%]{1,60}>|\[\/?[A-Z][A-Z_]{1,30}\]/g

/** Matches everything that must not come from outside. Has the global flag. */
export function controlPattern(template: string, family: Family): RegExp {
  return patternOf([...(template.match(TAGS) ?? []), ...markersOf(family)])
}

/** Matches these texts, and what most families use. Has the global flag. */
export function patternOf(texts: readonly string[]): RegExp {
  const longestFirst = [...new Set(texts)].toSorted((a, b) => b.length - a.length).map(escaped)
  return new RegExp([...longestFirst, ...USUAL].join('|'), 'g')
}

/** The markers a model of this family may write, those that are tokens of its own included. */
export const markersOf = ({ markers }: Family): string[] =>
  markers.flatMap((marker) => {
    const close = marker.kind === 'section' ? marker.section.close : 'close' in marker ? marker.close : []
    return [marker.open, ...(typeof close === 'string' ? [close] : close)]
      .map((text) => text.trim())
      .filter((text) => new RegExp(`^(?:${TAGS.source})$`).test(text))
  })

/** In two pieces, neither of which is a token: llama.cpp finds some of them in plain text as well. */
export const inTwo = (text: string): readonly [string, string] => {
  const [first = ''] = text
  return [first, text.slice(first.length)]
}

export const breakUp = (text: string): string => inTwo(text).join(BREAK)

/** Undoes `breakUp` in what the model wrote. */
export const withoutBreaks = (text: string): string => text.replaceAll(BREAK, '')

/** The same in JSON, where it may stand as an escape. Behind an escaped backslash it is text about it, and stays. */
export const withoutJsonBreaks = (text: string): string =>
  withoutBreaks(text).replace(/(?<!\\)((?:\\\\)*)\\u2060/g, '$1')

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
