/**
 * What is known of a call that nano or the rankings came to, for the trained judge of whether it is meant (`opinion/trust.ts`). Reads the
 * project.
 */
import type { Grounds } from '../opinion/trust.ts'
import { outcomeOf } from '../edits/ranking.ts'
import type { Asked } from '../asking.ts'
import { type Decision, isLoss, isSameCall, readCall, SETS, WISHES } from '../decide.ts'
import { isDoubtful } from '../intent/doubt.ts'
import { isGrounded, isMisfit, type Said } from './likely.ts'
import { toEdit } from '../project/listed-lines.ts'
import { isImperative, isOrder } from '../intent/order.ts'
import { type ProjectFiles, textsFor } from '../project/sources.ts'
import { outcomeIn, recentFor } from '../calls/ranked-edit.ts'
import { type RankingPlace } from '../calls/likeliest.ts'
import { supportOf } from '../calls/ranked.ts'
import { hasRemark } from '../intent/remark.ts'
import type { NanoCall, NanoStep } from '../steps/run.ts'
import { notSpelledOut } from '../intent/spelled-out.ts'
import { moodSigns } from '../intent/wanted.ts'

export type GroundsPlace = RankingPlace & {
  readonly asked: Asked
  readonly said: Said
  readonly files: ProjectFiles
  readonly steps: readonly NanoStep[]
  /** How many steps had been made before this part. */
  readonly before: number
}

type Guess = Extract<Decision, { readonly kind: 'guess' }>

export async function groundsOf(guess: Guess, place: GroundsPlace): Promise<Grounds> {
  const { call } = guess
  const { asked, said, request } = place
  const nano = readCall(asked.reply.text)
  const written = nano && toEdit(nano, said.lines, request)
  const edit = call.name === 'edit_file' ? await editGrounds(call, written, place) : undefined
  const support = edit ? edit.share : supportOf(call, place)
  const isWritten = written !== undefined && (isSameCall(written, call) || edit?.isWritten === true)
  return {
    tool: call.name === 'write_file' && call.input['append'] === true ? 'append' : call.name,
    written: written === undefined ? 'none' : isWritten ? 'same' : 'other',
    sure: Math.min(1, ...asked.reply.confidences),
    agreement: asked.agreement ?? 0,
    ...(support !== undefined && { support }),
    marks: [...marksOf(guess, place), ...(edit?.marks ?? []), ...moodSigns(call, request)],
  }
}

type EditGrounds = { readonly share: number; readonly isWritten: boolean; readonly marks: readonly string[] }

/** What the ranking of edits makes of it: how likely it is, and whether another one comes near. */
async function editGrounds(
  call: NanoCall,
  written: NanoCall | undefined,
  { clause, steps, files, opinions }: GroundsPlace,
): Promise<EditGrounds> {
  const project = await textsFor(clause, files)
  const outcome = outcomeIn(call, project.texts)
  const edits = opinions.edits({ clause, project, recent: recentFor(clause, steps) })
  const at = edits.findIndex((edit) => outcomeOf(edit) === outcome)
  const share = edits[at]?.share ?? 0
  const rival = edits.find((_, other) => other !== at)?.share ?? 0
  return {
    share,
    isWritten:
      written !== undefined && outcome !== undefined && outcomeIn(written, project.texts) === outcome,
    marks: [
      at === 0 ? 'edit:first' : at > 0 ? 'edit:later' : 'edit:unranked',
      `rival:${Math.floor(10 * rival)}`,
      ...(outcome === undefined ? ['edit:several'] : []),
    ],
  }
}

function marksOf(
  { call, isLikely, isBacked = false }: Guess,
  { request, clause, said, steps, before }: GroundsPlace,
): string[] {
  const { content, command } = call.input
  const marks: Readonly<Record<string, boolean>> = {
    likely: isLikely,
    backed: isBacked,
    grounded: isGrounded(call, said),
    misfit: isMisfit(call, said),
    doubtful: isDoubtful(call, request),
    remark: hasRemark(call, request),
    order: isOrder(call, clause),
    imperative: isImperative(request),
    wish: WISHES.test(clause),
    setting: SETS.test(clause),
    loss: isLoss(call),
    spelled: notSpelledOut(call, request) === undefined,
    typed: typeof command === 'string' && request.includes(command),
    quoted:
      typeof content === 'string' &&
      QUOTES.some(([open, close]) => clause.includes(open + content.trim() + close)),
    part: clause !== request,
    later: steps.length > 0,
    begun: steps.length > before,
    long: request.length > LONG,
    several: SEVERAL.test(clause),
  }
  return Object.entries(marks).map(([name, isSo]) => `${name}:${isSo ? 'yes' : 'no'}`)
}

const QUOTES = [
  ['"', '"'],
  ['“', '”'],
  ["'", "'"],
  ['`', '`'],
] as const

const LONG = 120

const SEVERAL = /\b(?:both|each|all|every|everywhere|two|three|four|rest|others?)\b/i
