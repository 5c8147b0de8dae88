/** Mistral: `[TOOL_CALLS]` and a list of JSON (Nemo, Small 3.1), or a name, `[ARGS]` and JSON (Devstral, Ministral 3). */
import { defineFamily } from './define-family.ts'
import type { Marker } from './family.ts'
import { section, think, tokens } from './family.ts'
import { jsonShape, namedShape } from '../read/shape.ts'

const markers: readonly Marker[] = [
  section('[TOOL_CALLS]', [], { separators: ['[CALL_ID]', '[ARGS]'], accepts: ['json', 'named'] }),
  think('[THINK]', '[/THINK]'),
  ...tokens('[/TOOL_CALLS]', '[/INST]'),
  { kind: 'token', open: '</s>', last: true },
]

const result = ({ text, callId }: { readonly text: string; readonly callId: string }): string =>
  `[TOOL_RESULTS]{"content": ${JSON.stringify(text)}, "call_id": ${JSON.stringify(callId)}}[/TOOL_RESULTS]`

export const mistral = defineFamily({
  name: 'mistral',
  models: /mistral|devstral|magistral|ministral|codestral|pixtral|voxtral|leanstral/i,
  shape: namedShape({ open: '[TOOL_CALLS]', between: '[ARGS]', close: '' }),
  markers,
  result,
})

export const mistralNemo = defineFamily({
  name: 'mistral-nemo',
  models: /nemo(?!tron)|mistral-?(?:7b|large-?2|small-?(?:24|3\.?[01]))|mixtral/i,
  shape: jsonShape({ open: '[TOOL_CALLS]', list: true }),
  markers,
  result,
})
