/**
 * Chooses a token without waking this thread before. The library has a token evaluated by libuv's threads, waits, and then
 * has the next one chosen by them. With one such thread they can be asked for both at once, since it works in order.
 * Only where the batch is the next token of the same reply and the choice depends on nothing that is decided in between.
 */

type Config = Readonly<Record<string, unknown>>

type Sampler = { applyConfig(config: Config): void; dispose(): void }

type Context = {
  initBatch(size: number): void
  addToBatch(sequence: number, from: number, tokens: Uint32Array, outputs: Uint32Array): Uint32Array
  decodeBatch(): Promise<void>
  sampleToken(output: number, sampler: Sampler, ...more: readonly boolean[]): Promise<unknown>
}

/** What is used here of the library's native part. Not declared by it: its version is pinned. */
export type Bindings = {
  readonly AddonContext: new (...options: unknown[]) => Context
  readonly AddonSampler: new (...options: unknown[]) => Sampler
}

/** libuv reads it when the first work is given to its threads. */
export const ONE_THREAD = { UV_THREADPOOL_SIZE: '1' }

export const hasOneThread = (env: NodeJS.ProcessEnv = process.env): boolean =>
  env['UV_THREADPOOL_SIZE'] === ONE_THREAD.UV_THREADPOOL_SIZE

/** The same bindings, for a process in which `hasOneThread`. */
export function withEarlySampling(bindings: Bindings): Bindings {
  const AddonSampler = steadySampler(bindings.AddonSampler)
  const AddonContext = earlyContext(bindings.AddonContext)
  // What is native cannot be copied: its properties do not show.
  return Object.create(bindings, {
    AddonSampler: { value: AddonSampler },
    AddonContext: { value: AddonContext },
  }) as Bindings
}

type SteadySampler = Sampler & {
  /** Whether the next token is chosen as this one was. */
  isSteady(): boolean
  /** It is in use until `work` ends. */
  during(work: Promise<unknown>): Promise<unknown>
}

function steadySampler(Base: Bindings['AddonSampler']): new (...options: unknown[]) => SteadySampler {
  return class extends Base {
    #config: Config = {}
    #running = 0
    #isDisposed = false

    override applyConfig(config: Config): void {
      // A thread may be choosing by it just now.
      if (isSame(config, this.#config)) return
      this.#config = config
      super.applyConfig(config)
    }

    isSteady(): boolean {
      return !this.#isDisposed && !('repeatPenaltyTokens' in this.#config || 'tokenBiasKeys' in this.#config)
    }

    during(work: Promise<unknown>): Promise<unknown> {
      this.#running++
      const end = (): void => {
        this.#running--
        if (this.#isDisposed && this.#running === 0) super.dispose()
      }
      work.then(end, end)
      return work
    }

    override dispose(): void {
      this.#isDisposed = true
      if (this.#running === 0) super.dispose()
    }
  }
}

function isSame(one: Config, other: Config): boolean {
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => Object.is(one[key], other[key]))
}

function earlyContext(Base: Bindings['AddonContext']): Bindings['AddonContext'] {
  return class extends Base {
    readonly #foresight = new Foresight()

    override initBatch(size: number): void {
      this.#foresight.begin()
      super.initBatch(size)
    }

    override addToBatch(...item: Parameters<Context['addToBatch']>): Uint32Array {
      const outputs = super.addToBatch(...item)
      this.#foresight.add(item, outputs)
      return outputs
    }

    override decodeBatch(): Promise<void> {
      const decoded = super.decodeBatch()
      this.#foresight.choose((output, sampler) => super.sampleToken(output, sampler))
      return decoded
    }

    override sampleToken(...wish: Parameters<Context['sampleToken']>): Promise<unknown> {
      const [, sampler] = wish
      const token =
        this.#foresight.take(wish) ?? (sampler as SteadySampler).during(super.sampleToken(...wish))
      this.#foresight.chose(sampler as SteadySampler, token)
      return token
    }
  }
}

type Chosen = { readonly sequence: number; readonly sampler: SteadySampler; token?: unknown }

/** Which token is chosen early, and for whom. */
class Foresight {
  /** The sequences in the batch. */
  #sequences: number[] = []
  /** Where the batch continues the last reply: the number of its output. */
  #output: number | undefined
  /** The reply whose token was chosen last. */
  #last: Chosen | undefined
  #early: { readonly output: number; readonly sampler: Sampler; readonly token: Promise<unknown> } | undefined

  begin(): void {
    this.#sequences = []
    this.#output = this.#early = undefined
  }

  add([sequence, , tokens]: Parameters<Context['addToBatch']>, outputs: Uint32Array): void {
    this.#sequences.push(sequence)
    const isNext = this.#last?.sequence === sequence && this.#last.token === tokens[0]
    const isAlone = this.#sequences.length === 1 && tokens.length === 1
    this.#output = isNext && isAlone ? outputs[0] : undefined
  }

  choose(sample: (output: number, sampler: Sampler) => Promise<unknown>): void {
    const [output, sampler] = [this.#output, this.#last?.sampler]
    if (output === undefined || !sampler?.isSteady()) return
    this.#early = { output, sampler, token: sampler.during(sample(output, sampler)) }
  }

  /** What was chosen early, if it is what is wanted now. */
  take([output, sampler, ...more]: Parameters<Context['sampleToken']>): Promise<unknown> | undefined {
    const early = this.#early
    this.#early = undefined
    const isWanted = early?.output === output && early.sampler === sampler && more.length === 0
    return isWanted ? early.token : undefined
  }

  chose(sampler: SteadySampler, token: Promise<unknown>): void {
    const [sequence, ...others] = this.#sequences
    if (sequence === undefined || others.length > 0) {
      this.#last = undefined
      return
    }
    const last: Chosen = { sequence, sampler }
    this.#last = last
    token.then(
      (chosen) => (last.token = chosen),
      () => {},
    )
  }
}
