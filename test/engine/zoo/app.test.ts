/**
 * The zoo once more, through the whole app: real files, real commands, the scripted model. A part of it at every commit; the
 * rules themselves meet all of it in `detectors.test.ts`.
 */
import { describe, expect, test } from 'vitest'
import type { ModelEvent } from '../../../src/protocol/model.ts'
import { calls, createScriptedModel, says, thinks } from '../../../src/provider/scripted.ts'
import { tempProject } from '../../support/project.ts'
import { endOf, ofType, run } from '../../support/run.ts'
import { honest } from './honest.ts'
import { loops } from './loops.ts'
import type { Animal, Reply } from './zoo.ts'
import { runs } from '../../support/runs.ts'
import { seededSlice } from '../../support/seed.ts'

function toScript(reply: Reply): readonly ModelEvent[] {
  if (typeof reply === 'string') return [says(reply)]
  if ('reply' in reply) return [thinks(reply.reasoning), ...toScript(reply.reply)]
  return reply.map(({ name, input }) => calls(name, input))
}

function toModel({ replies, cycles }: Animal) {
  const script = replies.map(toScript)
  const rounds = cycles ? Array.from({ length: 40 }, () => script).flat() : script
  return createScriptedModel(rounds)
}

const some = (animals: readonly Animal[]): readonly Animal[] =>
  seededSlice(animals, runs(8, animals.length), 'zoo')

describe('a loop is ended in time:', () => {
  test.each(some(loops))('$name', async (animal) => {
    const model = toModel(animal)

    const events = await run(model, await tempProject(animal.files), { prompt: animal.prompt })

    expect(endOf(events).reason).not.toBe('max-turns')
    expect(model.asked.length).toBeLessThanOrEqual(animal.within ?? 8)
  })
})

describe('honest work is left alone:', () => {
  test.each(some(honest))('$name', async (animal) => {
    const model = toModel(animal)

    const events = await run(model, await tempProject(animal.files), {
      prompt: animal.prompt,
      window: 32_768,
    })

    expect(endOf(events).reason).toBe('answered')
    expect(ofType(events, 'correction')).toEqual([])
    expect(model.asked).toHaveLength(animal.replies.length)
  })
})
