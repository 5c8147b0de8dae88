/** How the next token is chosen, in the words that OpenAI, llama.cpp, Ollama and vLLM share. */
import { defined } from '../lib/object.ts'
import type { ModelRequest } from '../protocol/model.ts'

export const samplingFields = ({
  temperature,
  topP,
  presencePenalty,
  frequencyPenalty,
  seed,
}: ModelRequest): object =>
  defined({
    temperature,
    top_p: topP,
    presence_penalty: presencePenalty,
    frequency_penalty: frequencyPenalty,
    seed,
  })
