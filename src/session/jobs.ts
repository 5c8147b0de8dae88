/** What a session does, one thing at a time and in the order it was asked for. */
type Job = (controller: AbortController) => Promise<void>

export class Jobs {
  #last: Promise<unknown> = Promise.resolve()
  #controller: AbortController | undefined
  #count = 0

  /** One is in progress or waits. */
  get isBusy(): boolean {
    return this.#count > 0
  }

  add(job: Job): Promise<void> {
    this.#count++
    const done = this.#last.then(async () => {
      const controller = new AbortController()
      this.#controller = controller
      await job(controller).finally(() => this.#count--)
    })
    this.#last = done.catch(() => undefined)
    return done
  }

  /** Aborts the one in progress; resolves when all that were added are over. */
  async abort(reason: unknown): Promise<void> {
    this.#controller?.abort(reason)
    await this.#last
  }
}
