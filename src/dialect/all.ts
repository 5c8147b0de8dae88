/** All families, as data. Where two claim a model the first one that matches wins: special cases stand before general. */
import { AppError } from '../protocol/error.ts'
import type { Dialect } from '../protocol/dialect.ts'
import { nearest } from '../lib/nearest.ts'
import { apertus } from './apertus.ts'
import { apriel } from './apriel.ts'
import { cmd } from './cmd.ts'
import { cohere } from './cohere.ts'
import { commandR, commandRPlus } from './command-r.ts'
import { deepseek, deepseek31, deepseekDsml } from './deepseek.ts'
import type { Family } from './family.ts'
import { fenced } from './fenced.ts'
import { firefunction } from './firefunction.ts'
import { functionary, functionary32 } from './functionary.ts'
import { functionGemma, gemma, gemma3 } from './gemma.ts'
import { gigachat } from './gigachat.ts'
import { glm } from './glm.ts'
import { granite3 } from './granite3.ts'
import { harmony } from './harmony.ts'
import { hermes } from './hermes.ts'
import { horizon } from './horizon.ts'
import { inkling } from './inkling.ts'
import { internlm } from './internlm.ts'
import { kimi, kimi3 } from './kimi.ts'
import { llama3 } from './llama3.ts'
import { longcat } from './longcat.ts'
import { minicpm } from './minicpm.ts'
import { minimax, minimax3 } from './minimax.ts'
import { mistral, mistralNemo } from './mistral.ts'
import { muse } from './muse.ts'
import { nemotron } from './nemotron.ts'
import { phi4 } from './phi4.ts'
import { plain } from './plain.ts'
import { lfm2, olmo, pythonic } from './pythonic.ts'
import { qwenXml } from './qwen-xml.ts'
import { react } from './react.ts'
import { reka } from './reka.ts'
import { seedOss } from './seed-oss.ts'
import { solar } from './solar.ts'
import { stepfun } from './stepfun.ts'
import { tag } from './tag.ts'

export const families: readonly Family[] = [
  // Named after another family they are built on.
  deepseekDsml,
  deepseek31,
  deepseek,
  functionary,
  functionary32,
  firefunction,
  qwenXml,
  nemotron,
  kimi3,
  kimi,
  minimax3,
  minimax,
  functionGemma,
  gemma,
  gemma3,
  cohere,
  commandRPlus,
  commandR,
  mistralNemo,
  mistral,
  pythonic,
  lfm2,
  olmo,
  apriel,
  stepfun,
  harmony,
  glm,
  gigachat,
  minicpm,
  seedOss,
  reka,
  apertus,
  internlm,
  longcat,
  solar,
  inkling,
  muse,
  horizon,
  fenced,
  hermes,
  granite3,
  phi4,
  llama3,
  tag,
  plain,
  react,
  cmd,
]

/** The family a model belongs to, by its file or repository name. */
export function dialectFor(model: string): string | undefined {
  const name = model.replace(/\.(?:gguf|jinja)$/i, '').replace(/[_\s]+/g, '-')
  return families.find((family) => family.models.test(name))?.name
}

export const requireDialect = (name: string): Dialect => requireFamily(name)

/** Finds a family by name, or says which there are. */
export function requireFamily(name: string): Family {
  const family = families.find((candidate) => candidate.name === name)
  if (family) return family
  const names = families.map((candidate) => candidate.name)
  const near = nearest(name, names)
  const hint = near ? `did you mean ${near}?` : `there are ${names.join(', ')}.`
  throw new AppError('config-invalid', `No dialect is called ${name}; ${hint}`)
}
