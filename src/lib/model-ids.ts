/** The names in a server's list of models, in every shape servers send it. What sends the list is not trusted. */
import { z } from 'zod'

const Entry = z.union([
  z.string(),
  z.object({ id: z.string() }).transform(({ id }) => id),
  z.object({ name: z.string() }).transform(({ name }) => name),
])
/** OpenAI and nearly everyone; a bare list, as Together AI sends it; Ollama's own. */
const ModelList = z.union([
  z.object({ data: z.array(Entry) }).transform(({ data }) => data),
  z.array(Entry),
  z.object({ models: z.array(Entry) }).transform(({ models }) => models),
])

const MAX_MODELS = 100
/** A name is shown on terminals and written to files. */
const NAME = /^[^\p{C}]{1,200}$/u

/** Undefined where the answer is not a list of models. */
export function modelIdsIn(answer: unknown): readonly string[] | undefined {
  const list = ModelList.safeParse(answer).data
  return list && [...new Set(list.filter((id) => NAME.test(id)))].slice(0, MAX_MODELS)
}

/** By its name: models for embeddings, ranking, speech and the like do not chat. */
export const isChatModel = (id: string): boolean =>
  !/embed|rerank|whisper|tts|minilm|mpnet|(?:^|[-/])(?:bge|gte|e5|labse|splade)-|clip\b/i.test(id)
