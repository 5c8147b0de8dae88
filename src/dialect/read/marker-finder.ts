/**
 * Finds the next of many markers in one pass (Aho-Corasick), whatever the chunks. The depth of the state is how much of
 * a marker may have begun: exactly the text that must be held back, and no more.
 */

const ROOT = 0
const NONE = -1

export class MarkerFinder {
  readonly markers: readonly string[]
  readonly #classes: Uint16Array
  readonly #classCount: number
  readonly #next: Int32Array
  readonly #depth: Int32Array
  readonly #marker: Int32Array
  readonly #inner: Uint8Array
  /** The tree alone, without the way back on a mismatch: `NONE` where no marker goes on. */
  readonly #tree: Int32Array

  constructor(markers: readonly string[]) {
    this.markers = markers
    const { classes, count } = classify(markers)
    const size = 1 + markers.reduce((sum, marker) => sum + marker.length, 0)
    this.#classes = classes
    this.#classCount = count
    this.#tree = new Int32Array(size * count).fill(NONE)
    this.#depth = new Int32Array(size)
    this.#marker = new Int32Array(size).fill(NONE)
    this.#inner = new Uint8Array(size)
    this.#plant()
    this.#next = this.#tree.slice()
    this.#link()
  }

  get start(): number {
    return ROOT
  }

  step(state: number, code: number): number {
    return this.#next[state * this.#classCount + (this.#classes[code] ?? 0)] ?? ROOT
  }

  /** How many of the last characters may be the beginning of a marker. */
  held(state: number): number {
    return this.#depth[state] ?? 0
  }

  /** The marker that ends here, as an index into `markers`, or -1. */
  ending(state: number): number {
    return this.#marker[state] ?? NONE
  }

  /** Whether a longer marker begins with the one that ends here. */
  canGrow(state: number): boolean {
    return this.#inner[state] === 1
  }

  /** One step along a marker only: -1 when none goes on with this character. */
  grow(state: number, code: number): number {
    return this.#tree[state * this.#classCount + (this.#classes[code] ?? 0)] ?? NONE
  }

  #plant(): void {
    let size = 1
    for (const [index, marker] of this.markers.entries()) {
      let state = ROOT
      for (let at = 0; at < marker.length; at++) {
        const slot = state * this.#classCount + (this.#classes[marker.charCodeAt(at)] ?? 0)
        if (this.#tree[slot] === NONE) {
          this.#tree[slot] = size
          this.#depth[size++] = at + 1
          this.#inner[state] = 1
        }
        state = this.#tree[slot] ?? ROOT
      }
      this.#marker[state] = index
    }
  }

  /** Breadth first, so that the way back of a parent is known before its children need it. */
  #link(): void {
    const back = new Int32Array(this.#depth.length)
    const queue = [ROOT]
    for (let head = 0; head < queue.length; head++) {
      const state = queue[head] ?? ROOT
      for (let kind = 0; kind < this.#classCount; kind++) {
        const slot = state * this.#classCount + kind
        const child = this.#tree[slot] ?? NONE
        const fallback =
          state === ROOT ? ROOT : (this.#next[(back[state] ?? ROOT) * this.#classCount + kind] ?? ROOT)
        if (child === NONE) this.#next[slot] = fallback
        else {
          back[child] = fallback
          queue.push(child)
        }
      }
    }
  }
}

/** Characters that occur in no marker share one class, so that the table stays small. */
function classify(markers: readonly string[]): { classes: Uint16Array; count: number } {
  const classes = new Uint16Array(0x10000)
  let count = 1
  for (const marker of markers) {
    for (let at = 0; at < marker.length; at++) {
      const code = marker.charCodeAt(at)
      if (classes[code] === 0) classes[code] = count++
    }
  }
  return { classes, count }
}
