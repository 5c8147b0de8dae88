import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRepetitionWatch, type RepetitionFinding } from '../../../src/engine/detectors/repetition.ts'

const watch = (text: string, cut = 7): RepetitionFinding | undefined => {
  const stream = createRepetitionWatch()
  for (let from = 0; from < text.length; from += cut) {
    const finding = stream.push(text.slice(from, from + cut))
    if (finding) return finding
  }
  return undefined
}

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

describe('fires', () => {
  test('on a sentence said over and over, and keeps one copy', () => {
    const intro = 'The file has a bug.\n'
    const unit = 'Let me think about this. '

    const finding = watch(intro + unit.repeat(40))

    expect(finding).toEqual({ kind: 'exact', unit, keep: (intro + unit).length })
  })

  test('on a repeated paragraph of four hundred characters', () => {
    const unit = `${lines(8, (index) => `Sentence ${index} of a long paragraph, said again.`)}\n`.slice(
      0,
      400,
    )

    const finding = watch(unit.repeat(5))

    expect(finding).toMatchObject({ kind: 'exact', keep: unit.length })
  })

  test('on a single letter without end', () => {
    expect(watch(`The answer is ${'A'.repeat(400)}`)).toMatchObject({ kind: 'exact', unit: 'A', keep: 15 })
  })

  test.each(['!', '\n', '- \n', '?! '])('on nothing but %j without end', (unit) => {
    expect(watch(`The answer${unit.repeat(1000)}`)).toBeUndefined()
    expect(watch(`The answer${unit.repeat(4000)}`)).toMatchObject({ kind: 'exact', unit })
  })

  test('on a unit that itself contains a code fence', () => {
    const unit = 'Here is the fix:\n```js\nconst a = 1\n```\nThis is now done.\n'

    const finding = watch(unit.repeat(20))

    expect(finding).toMatchObject({ kind: 'exact', keep: unit.length })
  })

  test('on code inside a fence only from eight copies and four hundred characters on', () => {
    const unit = 'console.log("the very same line of code, for ever and ever")\n'

    const seven = watch(
      `\`\`\`js\n${unit.repeat(7)}// done here\n\`\`\`\nThat is all there is to say about it.`,
    )
    const endless = watch(`\`\`\`js\n${unit.repeat(40)}`)

    expect(seven).toBeUndefined()
    expect(endless).toEqual({ kind: 'exact', unit, keep: '```js\n'.length + unit.length })
  })

  test('on emojis without cutting one in half', () => {
    const finding = watch(`Done ${'🎉🎊'.repeat(200)}`)

    expect(finding?.keep).toBe('Done 🎉🎊'.length)
  })

  test('on a long text told again, as a paraphrase', () => {
    const story = lines(
      60,
      (index) => `Then number ${index} of the clues made me wonder about cause ${index * 7}.`,
    )

    const finding = watch(`${story}\n`.repeat(6))

    expect(finding?.kind).toBe('paraphrase')
    expect(finding?.keep).toBeGreaterThan(story.length * 0.9)
    expect(finding?.keep).toBeLessThan(story.length * 1.1)
  })

  test('on the same sentences turned over in another order', () => {
    const sentences = Array.from(
      { length: 12 },
      (_, index) =>
        `Wait, I should look again at part ${index} of the function because the result of step ${index} may be wrong there. `,
    )
    let text = ''
    for (let round = 0; round < 40; round++)
      text += sentences[(round * 5 + (round % 3)) % 12]! + sentences[round % 12]!

    expect(watch(text.repeat(2))?.kind).toBe('paraphrase')
  })
})

describe('does not fire', () => {
  const cases: { readonly [name: string]: string } = {
    'on a table with rules and empty cells': `| name | value |\n|------|-------|\n${lines(60, (index) => `| key${index} |       |`)}`,
    'on long rules': `${'─'.repeat(500)}\n${'='.repeat(500)}\n${'| '.repeat(300)}\n${' '.repeat(900)}`,
    'on a numbered list': lines(120, (index) => `${index + 1}. Check that the value is right.`),
    'on test data with counters': lines(
      200,
      (index) => `{ id: ${index}, name: "user${index}", active: true },`,
    ),
    'on switch cases': `\`\`\`ts\n${lines(80, (index) => `    case ${index}:\n      return names[${index}]`)}\n\`\`\``,
    'on JSON records': JSON.stringify(
      Array.from({ length: 80 }, (_, index) => ({ id: index, kind: 'item', price: index * 3, stock: true })),
      null,
      2,
    ),
    'on three copies of a paragraph':
      'A paragraph that is said three times for the sake of argument. '.repeat(3),
    'on a short stutter': `ha${' ha'.repeat(40)} is what he said, and then he went on with his day.`,
    'on seven equal lines of code': `\`\`\`py\n${'    assert parse(text) == expected_value_of_parse\n'.repeat(7)}\n\`\`\``,
    'on zeros in a fenced array': `\`\`\`js\nconst grid = [${'0, '.repeat(120)}]\n\`\`\`\nThe grid starts empty.`,
  }

  for (const [name, text] of Object.entries(cases)) {
    test(name, () => {
      expect(watch(text)).toBeUndefined()
    })
  }

  test('on two thousand words of varied prose', () => {
    const text = lines(
      300,
      (index) => `Step ${index}: ${(index * 7919) % 1009} goes to ${(index * 31) % 977}.`,
    )

    expect(watch(text)).toBeUndefined()
  })
})

test('every cut of a stream gives the same finding', () => {
  const text = `Some words first.\n${'and round it goes, and round again '.repeat(30)}`
  const whole = createRepetitionWatch().push(text)

  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }), (cuts) => {
      const stream = createRepetitionWatch()
      let from = 0
      let finding: RepetitionFinding | undefined
      for (let index = 0; from < text.length && !finding; index++) {
        const size = cuts[index % cuts.length]!
        finding = stream.push(text.slice(from, from + size))
        from += size
      }
      expect(finding).toEqual(whole)
    }),
  )
})

test('any repeated unit with a letter is found, and one copy of it is kept', () => {
  const unit = fc.string({ minLength: 1, maxLength: 399 }).map((text) => `x${text}`)

  fc.assert(
    fc.property(unit, fc.string({ maxLength: 50 }), (unit, intro) => {
      fc.pre(!unit.includes('`') && !unit.includes('~') && !intro.includes('`') && !intro.includes('~'))
      const copies = Math.max(6, Math.ceil(400 / unit.length) + 1)
      const finding = watch(intro + unit.repeat(copies), 64)
      expect(finding?.kind).toBe('exact')
      expect(finding?.keep).toBeLessThanOrEqual(intro.length + unit.length)
    }),
  )
})
