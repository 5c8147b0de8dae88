/** How the next token is chosen, as most APIs name it, and what it means here. */
import { z } from 'zod'
import { defined } from '../../lib/object.ts'
import type { ModelRequest } from '../../protocol/model.ts'

const share = z.number().min(0).max(1)
const penalty = z.number().min(-2).max(2)

export const samplingFields = {
  temperature: z.number().min(0).max(2).nullish(),
  top_p: share.nullish(),
  presence_penalty: penalty.nullish(),
  frequency_penalty: penalty.nullish(),
  seed: z.int().nullish(),
}

type GivenSampling = {
  readonly [Name in keyof typeof samplingFields]?: number | null | undefined
}

export type Sampling = Pick<
  ModelRequest,
  'temperature' | 'topP' | 'presencePenalty' | 'frequencyPenalty' | 'seed'
>

export const toSampling = (given: GivenSampling): Sampling =>
  defined({
    temperature: given.temperature ?? undefined,
    topP: given.top_p ?? undefined,
    presencePenalty: given.presence_penalty ?? undefined,
    frequencyPenalty: given.frequency_penalty ?? undefined,
    seed: given.seed ?? undefined,
  })
