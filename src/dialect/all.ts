/** All families, as data. Where two claim a model the first one that matches wins: special cases stand before general. */
import { AppError } from '../protocol/error.ts'
import type { Dialect } from '../protocol/dialect.ts'
import { nearest } from '../lib/nearest.ts'
import { apertus } from './families/apertus.ts'
import { apriel } from './families/apriel.ts'
import { cmd } from './families/cmd.ts'
import { cohere } from './families/cohere.ts'
import { commandR, commandRPlus } from './families/command-r.ts'
import { deepseek, deepseek31, deepseekDsml } from './families/deepseek.ts'
import type { Family } from './families/family.ts'
import { fenced } from './families/fenced.ts'
import { firefunction } from './families/firefunction.ts'
import { functionary, functionary32 } from './families/functionary.ts'
import { functionGemma, gemma, gemma3 } from './families/gemma.ts'
import { gigachat } from './families/gigachat.ts'
import { glm } from './families/glm.ts'
import { granite3 } from './families/granite3.ts'
import { harmony } from './families/harmony.ts'
import { hermes } from './families/hermes.ts'
import { horizon } from './families/horizon.ts'
import { inkling } from './families/inkling.ts'
import { internlm } from './families/internlm.ts'
import { kimi, kimi3 } from './families/kimi.ts'
import { llama3 } from './families/llama3.ts'
import { longcat } from './families/longcat.ts'
import { minicpm } from './families/minicpm.ts'
import { minimax, minimax3 } from './families/minimax.ts'
import { mistral, mistralNemo } from './families/mistral.ts'
import { muse } from './families/muse.ts'
import { nemotron } from './families/nemotron.ts'
import { phi4 } from './families/phi4.ts'
import { plain } from './families/plain.ts'
import { lfm2, olmo, pythonic } from './families/pythonic.ts'
import { qwenXml } from './families/qwen-xml.ts'
import { react } from './families/react.ts'
import { reka } from './families/reka.ts'
import { seedOss } from './families/seed-oss.ts'
import { solar } from './families/solar.ts'
import { stepfun } from './families/stepfun.ts'
import { tag } from './read/tag.ts'

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
