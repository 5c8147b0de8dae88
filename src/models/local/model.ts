import type { Quant } from '../quant.ts'

/** A model file on this machine, wherever it came from. */
export type LocalModel = {
  /** What `--model` takes: a catalogue id where it is recognised, else its name. */
  readonly id: string
  /** What its owner calls it: the file, or Ollama's name and tag. */
  readonly name: string
  readonly path: string
  readonly bytes: number
  /** Whose folder it lies in; only covey's own may be changed. */
  readonly source: 'covey' | 'ollama' | 'lm-studio'
  readonly quant?: Quant
}
