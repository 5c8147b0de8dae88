/**
 * A change or a command that the reply shows instead of making: a fenced file, a diff, a shell block, "change X to Y
 * in FILE". Here it is only read, purely; `meant-call.ts` decides whether it becomes the call it means. What is
 * addressed to the person, elided or without a clear path stays words, and the model is asked to make the call.
 */
import type { ReplyDetector, Situation } from './detector.ts'
import { pathsIn } from './demanded.ts'
import { NOTHING_CHANGED } from './due.ts'

export const proseInstead: ReplyDetector = ({ text }, situation) => {
  if (!isAsked(situation) || !showsDeed(text)) return undefined
  return {
    detector: 'prose-instead',
    note: `You showed it but did not do it: ${situation.due.missing[0] ?? 'nothing was changed'}. Make the tool call that does it (edit_file, write_file or run_command).`,
    otherwise: 'Text in your reply changes nothing on disk. Put it into a tool call.',
    again: 1,
    notes: 2,
    // A user who asked for the change and only sees it shown has no answer.
    isVoid: situation.due.missing.includes(NOTHING_CHANGED) && !TO_THE_PERSON.test(withoutBlocks(text)),
  }
}

export const isAsked = ({ mayAct, due, demands }: Situation): boolean =>
  mayAct &&
  due.missing.length > 0 &&
  !demands.wordsOnly &&
  (demands.change || demands.run || demands.commands.length > 0)

const showsDeed = (text: string): boolean =>
  /(?:```|~~~)[\s\S]*\n|<{5,9} ?SEARCH/.test(text) || wordedEdits(text).length > 0

/** What a text shows, as deeds in its order. */
export type Deed =
  | { readonly kind: 'patch'; readonly patch: string }
  | { readonly kind: 'file'; readonly path: string; readonly content: string }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'edit'; readonly path: string; readonly old: string; readonly now: string }

/** All that can be read without doubt; nothing at all where one block of several cannot. */
export function readDeeds(
  text: string,
  { prompt, demands }: Pick<Situation, 'prompt' | 'demands'>,
): readonly Deed[] {
  const replaced = searchBlocks(text, onlyPath(prompt, [{ info: '', body: '', lead: '' }]))
  if (replaced.length > 0) return demands.change ? replaced : []
  const blocks = toBlocks(text)
  if (blocks.length === 0) return demands.change ? wordedEdits(text) : []
  if (TO_THE_PERSON.test(withoutBlocks(text))) return []
  const fallback = onlyPath(prompt, blocks)
  const deeds = blocks.map((block) => toDeed(block, fallback))
  return deeds.every((deed) => deed !== undefined) ? deeds : []
}

const SEARCH_BLOCK =
  /(?:^|\n)([^\n]*)\n(?:[ \t]*(?:```|~~~)[^\n]*\n)?([^\n]*\n)?[ \t]*<{5,9} ?(?:SEARCH|ORIGINAL|OLD)[^\n]*\n([\s\S]*?)\n?={5,9}\n([\s\S]*?)\n?>{5,9} ?(?:REPLACE|UPDATED|NEW)/g

/** `<<<<<<< SEARCH ... ======= ... >>>>>>> REPLACE` under a path, with or without a fence. */
function searchBlocks(text: string, fallback: string | undefined): readonly Deed[] {
  const deeds = [...`\n\n${text}`.matchAll(SEARCH_BLOCK)].map(
    ([, lead = '', first = '', old = '', now = '']) => {
      const [named] = [...pathsIn(first), ...pathsIn(lead)]
      const path = named?.path ?? fallback
      return path === undefined || old.trim() === '' ? undefined : toEdit(path, old, now)
    },
  )
  return deeds.every((deed) => deed !== undefined) ? deeds : []
}

type Block = { readonly info: string; readonly body: string; readonly lead: string }

const FENCE = /(?:^|\n)[ \t]*(?:```|~~~)([^\n`]*)\n([\s\S]*?)\n?[ \t]*(?:```|~~~)(?=\s|$)/g

const toBlocks = (text: string): readonly Block[] =>
  [...text.matchAll(FENCE)].map(({ 1: info = '', 2: body = '', index }) => ({
    info: info.trim(),
    body,
    lead: text.slice(0, index).trimEnd().split('\n').slice(-2).join('\n'),
  }))

const withoutBlocks = (text: string): string => text.replaceAll(FENCE, ' ')

const TO_THE_PERSON =
  /\b(?:you (?:can|could|should|may|might|need to|must|would|have to|'ll need)|please (?:run|execute|copy|paste|replace|update|add)|for example|e\.g\.|try running|on your (?:machine|side)|(?:here's|here is) (?:an? )?(?:example|how you)|du kannst|sie können|vous pouvez|puedes|usted puede|您可以|你可以)\b/iu

function toDeed(block: Block, fallback: string | undefined): Deed | undefined {
  const { info, body } = block
  if (isPatch(info, body)) return { kind: 'patch', patch: `${body}\n` }
  if (ELIDED.test(body)) return undefined
  if (/^(?:sh|bash|shell|zsh|console|terminal|cmd)\b/i.test(info)) return toCommand(body)
  const path = pathOf(block) ?? fallback
  return path === undefined ? undefined : { kind: 'file', path, content: `${withoutPathLine(body, path)}\n` }
}

const isPatch = (info: string, body: string): boolean =>
  /^\*\*\* Begin Patch/m.test(body) ||
  (/^--- \S/m.test(body) && /^\+\+\+ \S/m.test(body) && /^@@/m.test(body) && !/^(?:sh|bash)/.test(info))

const ELIDED =
  /^\s*(?:\/\/|#|--|\/\*|<!--|;|%)?\s*(?:\.{3}|…)|\b(?:rest of (?:the )?(?:file|code|function)|existing code|remains? (?:the same|unchanged)|(?:code|file|rest) unchanged|same as before|omitted for brevity)\b|^\s*(?:\/\/|#)\s*TODO: (?:implement|add|your)/im

function toCommand(body: string): Deed | undefined {
  const lines = body.split('\n').filter((line) => line.trim() !== '')
  const prompted = lines.filter((line) => line.startsWith('$ '))
  // Behind a prompt sign stands a command; lines without one are then what it printed.
  if (prompted.length > 0 && prompted.length < lines.length) return undefined
  const command = lines.map((line) => line.replace(/^\$ /, '')).join('\n')
  return command === '' ? undefined : { kind: 'command', command }
}

/** From the fence, the first line of the code, or the words right before it: exactly one path, or none. */
function pathOf({ info, body, lead }: Block): string | undefined {
  const inInfo = pathsIn(info.replace(/^\w+[:\s]+/, '').replace(/^(?:title|file|filename|path)=/, ''))
  if (inInfo.length === 1) return inInfo[0]?.path
  const [first = ''] = body.split('\n', 1)
  const inFirst = /^\s*(?:\/\/|#|--|\/\*|<!--|;)\s*(?:file(?:name)?:\s*)?(\S+?)\s*(?:\*\/|-->)?$/i.exec(
    first,
  )?.[1]
  const named = inFirst === undefined ? [] : pathsIn(inFirst)
  if (named.length === 1) return named[0]?.path
  const before = pathsIn(lead.split('\n').at(-1) ?? '')
  return before.length === 1 ? before[0]?.path : undefined
}

/** A line that only says which file this is does not belong into it, unless that file is about paths. */
const withoutPathLine = (body: string, path: string): string => {
  const [first = '', ...rest] = body.split('\n')
  const isLabel =
    /^\s*(?:\/\/|#|--|\/\*|<!--|;)\s*(?:file(?:name)?:\s*)?\S+\s*(?:\*\/|-->)?$/i.test(first) &&
    first.includes(path)
  return isLabel ? rest.join('\n') : body
}

/** One block, and one file that the prompt wants made or is about. */
function onlyPath(prompt: string, blocks: readonly Block[]): string | undefined {
  const named = pathsIn(prompt)
  const made = named.filter(({ isNew }) => isNew)
  const wanted = made.length > 0 ? made : named
  return blocks.length === 1 && wanted.length === 1 ? wanted[0]?.path : undefined
}

const QUOTED = '(?:`([^`\\n]{2,300})`|"([^"\\n]{2,300})"|“([^”\\n]{2,300})”)'
const WORDED = [
  new RegExp(
    `\\b(?:change|replace|rename|edit|update)\\s+(?:the (?:line|text|value|string)\\s+)?${QUOTED}\\s+(?:to|with|by|into|=>|->|→)\\s+${QUOTED}\\s+in\\s+[\`"*]*([\\w@./-]+\\.\\w+)`,
    'gi',
  ),
  new RegExp(
    `\\bin\\s+[\`"*]*([\\w@./-]+\\.\\w+)[\`"*]*,?\\s+(?:i (?:would |will )?)?(?:change|replace|rename|edit|update)\\s+(?:the (?:line|text|value|string)\\s+)?${QUOTED}\\s+(?:to|with|by|into|=>|->|→)\\s+${QUOTED}`,
    'gi',
  ),
]

function wordedEdits(text: string): readonly Deed[] {
  const [fileLast, fileFirst] = WORDED.map((pattern) => [...text.matchAll(pattern)])
  const last = (fileLast ?? []).map(([, a, b, c, d, e, f, path = '']) =>
    toEdit(path, a ?? b ?? c, d ?? e ?? f),
  )
  const first = (fileFirst ?? []).map(([, path = '', a, b, c, d, e, f]) =>
    toEdit(path, a ?? b ?? c, d ?? e ?? f),
  )
  return [...last, ...first]
}

const toEdit = (path: string, old = '', now = ''): Deed => ({ kind: 'edit', path, old, now })
