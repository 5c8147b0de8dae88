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
  return list && shortened([...new Set(list.filter((id) => NAME.test(id)))].slice(0, MAX_MODELS))
}

/**
 * llama.cpp calls its model by the path it was started with, and answers to any name; its file name is enough for a
 * person to type. Two files of one name keep their paths.
 */
function shortened(ids: readonly string[]): readonly string[] {
  const names = ids.map((id) => GGUF_PATH.exec(id)?.[1] ?? id)
  return ids.map((id, index) => {
    const name = names[index] ?? id
    return names.filter((other) => other === name).length === 1 ? name : id
  })
}

const GGUF_PATH = /^(?:\/|\.{1,2}\/|[a-z]:[\\/]).*?([^\\/]+\.gguf)$/i

/** What the server of llama-cpp-python says in `owned_by`. */
export const LLAMA_CPP_PYTHON_OWNER = 'me'

/** Who owns the models of a list, where all entries name the same one. */
export function ownerIn(answer: unknown): string | undefined {
  const owners = new Set(Owners.safeParse(answer).data?.data.map(({ owned_by }) => owned_by))
  return owners.size === 1 ? [...owners][0] : undefined
}

const Owners = z.object({ data: z.array(z.object({ owned_by: z.string().optional() })) })

/** By its name: models for embeddings, ranking, speech and the like do not chat. */
export const isChatModel = (id: string): boolean =>
  !EMBEDDING.test(id) && !/rerank|whisper|tts|splade-|clip\b/i.test(id)

const EMBEDDING = /embed|minilm|mpnet|(?:^|[-/])(?:bge|gte|e5|labse)-/i

/** By its name: it makes vectors of texts. */
export const isEmbeddingModel = (id: string): boolean => EMBEDDING.test(id) && !/rerank/i.test(id)
