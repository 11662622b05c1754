// Normalisation: linear in the length of the text, and as it always was for texts that people write.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalize } from '../../shared/http/normalize.ts'

const FORMS = ['NFC', 'NFKC', 'NFKD'] as const
const [ABOVE, BELOW, JOINER] = ['\u0300', '\u0316', '\u034f']
const MILLION = 1_000_000

function cpuMs(work: () => void): number {
  const start = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}

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

  it.each([
    ['marks', `a${ABOVE.repeat(MILLION / 2)}${BELOW.repeat(MILLION / 2)}`],
    ['marks that stand for two', `a${'\u0344'.repeat(MILLION / 2)}${BELOW.repeat(MILLION / 2)}`],
    ['marks of other planes', `a${'\u{1d165}'.repeat(MILLION / 4)}${BELOW.repeat(MILLION / 2)}`],
    ['half-width voiced marks', `ｶ${'ﾞ'.repeat(MILLION / 2)}${'\u0334'.repeat(MILLION / 2)}`],
    ['many runs of marks', `a${ABOVE.repeat(10)}${BELOW.repeat(19)}`.repeat(MILLION / 30)],
    ['ligatures that become eighteen letters', '\ufdfa'.repeat(MILLION / 18)],
  ])('takes less than a second of CPU for a million of %s', (_, text) => {
    expect(cpuMs(() => normalize(text, form))).toBeLessThan(1_000)
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
