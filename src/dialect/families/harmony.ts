/** gpt-oss: messages with a header that names recipient and channel. */
import { defineFamily } from './define-family.ts'
import type { Marker } from './family.ts'
import { answers, control, tokens } from './family.ts'
import { readHarmonyHeader } from '../read/harmony-header.ts'
import { namedShape } from '../read/shape.ts'

export const harmonyMarkers: readonly Marker[] = [
  control('<|start|>', readHarmonyHeader),
  control('<|channel|>', readHarmonyHeader),
  control('<|message|>', function* () {
    return {}
  }),
  ...answers('<|end|>', '<|eom|>'),
  ...tokens('<|return|>', '<|call|>', '<|constrain|>', '<|eot|>'),
]

export const harmony = defineFamily({
  name: 'harmony',
  models: /gpt-?oss|harmony|llm-jp|^openai$/i,
  shape: namedShape({
    open: '<|channel|>commentary to=functions.',
    between: ' <|constrain|>json<|message|>',
    close: '<|call|>',
  }),
  markers: harmonyMarkers,
  result: ({ name, text }) =>
    `<|start|>functions.${name} to=assistant<|channel|>commentary<|message|>${text}<|end|>`,
})
