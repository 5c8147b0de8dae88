/**
 * The rows of a JSON file as texts of one value each, without ever holding more than one: the elements of the outermost
 * array, or values one after the other; of a JSON Lines file its lines, so that a broken one spoils no other.
 */

/** Longer than any row a person would look at. */
const MAX_VALUE = 1024 * 1024

export interface ValueSplitter {
  /** The values that this piece completes; `undefined` stands for one that was too long to keep. */
  push(text: string): (string | undefined)[]
  end(): (string | undefined)[]
  /** Whether the end that was announced is still missing. */
  isOpen(): boolean
}

export class LineSplitter implements ValueSplitter {
  #line = new Piece()

  push(text: string): (string | undefined)[] {
    const [first = '', ...rest] = text.split('\n')
    const last = rest.pop()
    this.#line.add(first)
    if (last === undefined) return []
    const whole = [this.#line.take(), ...rest]
    this.#line.add(last)
    return whole.filter((line) => line === undefined || line.trim() !== '')
  }

  end(): (string | undefined)[] {
    const last = this.#line.take()
    return last === undefined || last.trim() !== '' ? [last] : []
  }

  isOpen(): boolean {
    return false
  }
}

export class JsonSplitter implements ValueSplitter {
  #value = new Piece()
  #depth = 0
  #isArray: boolean | undefined
  #isClosed = false
  #isInValue = false
  #isInString = false
  #isEscaped = false

  push(text: string): (string | undefined)[] {
    const values: (string | undefined)[] = []
    let from = 0
    const finish = (to: number): void => {
      this.#value.add(text.slice(from, to))
      values.push(this.#value.take())
      this.#isInValue = false
    }
    for (let at = 0; at < text.length; at++) {
      const wasInValue = this.#isInValue
      const step = this.#step(text[at] ?? '')
      if (!wasInValue && this.#isInValue) from = at
      if (step === 'end-before') finish(at)
      if (step === 'end-after') finish(at + 1)
    }
    if (this.#isInValue) this.#value.add(text.slice(from))
    return values
  }

  end(): (string | undefined)[] {
    return this.#isInValue ? [this.#value.take()] : []
  }

  isOpen(): boolean {
    return this.#isArray === true && !this.#isClosed
  }

  /** Moves over one character; says whether a value ends before or after it. */
  #step(character: string): 'end-before' | 'end-after' | undefined {
    if (this.#isInString) return this.#stepInString(character)
    if (character === '"') {
      this.#isInString = true
      this.#isInValue = true
    } else if (character === '{' || character === '[') {
      if (this.#isArray === undefined && character === '[') return void (this.#isArray = true)
      this.#depth++
      this.#isInValue = true
    } else if (character === '}' || character === ']') return this.#close()
    else if (this.#depth === 0 && /[\s,]/.test(character)) return this.#isInValue ? 'end-before' : undefined
    else this.#isInValue = true
    this.#isArray ??= false
    return undefined
  }

  #stepInString(character: string): 'end-after' | undefined {
    if (this.#isEscaped) this.#isEscaped = false
    else if (character === '\\') this.#isEscaped = true
    else if (character === '"') {
      this.#isInString = false
      return this.#depth === 0 ? 'end-after' : undefined
    }
    return undefined
  }

  #close(): 'end-before' | 'end-after' | undefined {
    if (this.#depth > 0) return --this.#depth === 0 ? 'end-after' : undefined
    this.#isClosed = true
    return this.#isInValue ? 'end-before' : undefined
  }
}

/** A text that grows until it is too long to be kept at all. */
class Piece {
  #text = ''
  #isTooLong = false

  add(text: string): void {
    this.#isTooLong ||= this.#text.length + text.length > MAX_VALUE
    this.#text = this.#isTooLong ? '' : this.#text + text
  }

  take(): string | undefined {
    const text = this.#isTooLong ? undefined : this.#text
    this.#text = ''
    this.#isTooLong = false
    return text
  }
}
