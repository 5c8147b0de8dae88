import { describe, expect, it } from 'vitest'
import { characters, corpusFiles, expected, pieces, read, readCases, summary } from './support.ts'

describe.each(corpusFiles())('%s', (file) => {
  const cases = readCases(`corpus/${file}`)

  it.each(cases)('reads $title', (given) => {
    const events = read(given.reply, given)

    expect(summary(events)).toEqual(expected(given))
  })

  it.each(cases)('reads $title without knowing the model', (given) => {
    const { model: _model, ...blind } = given

    const events = read(given.reply, blind)

    expect(summary(events)).toEqual(expected(given))
  })

  it('reads every reply the same in any cut', () => {
    const whole = cases.map((given) => read(given.reply, given))

    const byCharacter = cases.map((given) => read(characters(given.reply), given))
    const byPiece = cases.map((given, index) => read(pieces(given.reply, index + 1), given))

    expect(byCharacter).toEqual(whole)
    expect(byPiece).toEqual(whole)
  })
})
