// Normalisation: linear in the length of the text, and as it always was for texts that people write.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalize } from '../../shared/http/normalize.ts'
import { comparedTo, cpuMsOf } from '../support/cpu-ratio.ts'

const FORMS = ['NFC', 'NFKC', 'NFKD'] as const
const [ABOVE, BELOW, JOINER] = ['\u0300', '\u0316', '\u034f']
const QUARTER_MILLION = 250_000

/** Linear work takes twice the time for twice the text. */
const MOST_TIMES_FOR_TWICE = 2.5

describe.each(FORMS)('normalize to %s', form => {
  it('equals String.prototype.normalize for at most 30 marks in a row', () => {
    const texts = [
      '',
      'e\u0301',
      'ﬁ Ⅳ ｶﾞ 각',
      'हिन्दी में',
      'שָׁלוֹם',
      'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324a',
    ]
    texts.push(`a${ABOVE.repeat(15)}${BELOW.repeat(15)}b`, `${'a'.repeat(40)}${ABOVE.repeat(30)}`)
    for (const text of texts) expect(normalize(text, form)).toBe(text.normalize(form))
  })

  it('inserts a joiner after every 30 marks of a longer run', () => {
    const runs = normalize(`a${ABOVE.repeat(50)}${BELOW.repeat(30)}`, form).split(JOINER)
    expect(runs).toEqual([
      `a${ABOVE.repeat(30)}`.normalize(form),
      `${BELOW.repeat(10)}${ABOVE.repeat(20)}`,
      BELOW.repeat(20),
    ])
  })

  it.each<[string, (characters: number) => string]>([
    ['marks', n => `a${ABOVE.repeat(n / 2)}${BELOW.repeat(n / 2)}`],
    ['marks that stand for two', n => `a${'\u0344'.repeat(n / 2)}${BELOW.repeat(n / 2)}`],
    ['marks of other planes', n => `a${'\u{1d165}'.repeat(n / 4)}${BELOW.repeat(n / 2)}`],
    ['half-width voiced marks', n => `ｶ${'ﾞ'.repeat(n / 2)}${'\u0334'.repeat(n / 2)}`],
    ['many runs of marks', n => `a${ABOVE.repeat(10)}${BELOW.repeat(19)}`.repeat(n / 30)],
    ['ligatures that become eighteen letters', n => '\ufdfa'.repeat(n / 18)],
  ])('takes twice the time for half a million of %s as for a quarter', async (_, textOf) => {
    const [once, twice] = [textOf(QUARTER_MILLION), textOf(2 * QUARTER_MILLION)]
    const timesOnce = comparedTo(() => cpuMsOf(() => normalize(once, form)))
    const times = await timesOnce(() => cpuMsOf(() => normalize(twice, form)), MOST_TIMES_FOR_TWICE)
    expect(times).toBeLessThanOrEqual(MOST_TIMES_FOR_TWICE)
  })
})

describe('normalize', () => {
  // Runs of marks around the limit, on letters that bring marks of their own.
  const character = fc.constantFrom(
    'a',
    'é',
    'ᾂ',
    '\u0958',
    'ｶ',
    'ﾞ',
    ABOVE,
    BELOW,
    '\u0344',
    '\u0345',
    '\u09c7',
    '\u09be',
    JOINER,
  )
  const run = fc.tuple(character, fc.integer({ min: 1, max: 40 })).map(([mark, times]) => mark.repeat(times))
  const text = fc.array(run, { maxLength: 6 }).map(runs => runs.join(''))

  it('does not change its own result', () => {
    fc.assert(
      fc.property(text, original => {
        for (const form of FORMS) {
          const once = normalize(original, form)
          expect(normalize(once, form)).toBe(once)
        }
      }),
    )
  })

  it('knows every character that normalises to a mark', () => {
    const unknown: string[] = []
    for (let point = 0; point <= 0x10ffff; point++) {
      const character = point >= 0xd800 && point <= 0xdfff ? 'a' : String.fromCodePoint(point)
      const [first = ''] = character.normalize('NFKD')
      if (/[\p{M}\uff9e\uff9f]/u.test(character) || !/\p{M}/u.test(first)) continue
      unknown.push(point.toString(16))
    }
    // The vowels am of Thai and Lao begin with a sign that keeps its place.
    expect(unknown).toEqual(['e33', 'eb3'])
  })
})
