// Slugs: which are accepted, and which are derived from titles.
import { describe, expect, it } from 'vitest'
import { SlugInput, slugFrom } from '../../shared/slugs/slug.ts'

describe('SlugInput', () => {
  it.each([
    'a',
    'Hello-World',
    '東京',
    'été',
    'हिन्दी',
    'a.b_c~d-e',
    '2026',
    'x'.repeat(200),
    '𐐷'.repeat(200),
  ])('accepts %s', slug => {
    expect(SlugInput.parse(slug)).toBe(slug)
  })

  it('keeps a slug in NFC, without surrounding white space', () => {
    expect(SlugInput.parse(' e\u0301te\u0301 ')).toBe('été')
  })

  it.each(['-a', 'a-', '.a', 'a b', 'a/b', 'a?b', 'a%b', '🚀', 'x'.repeat(201), 'a\nb', '\ud800'])(
    'rejects %j',
    slug => {
      expect(SlugInput.safeParse(slug).success).toBe(false)
    },
  )
})

describe('slugFrom', () => {
  it.each([
    ['Hello, World!', 'hello-world'],
    ['  Été à Zürich  ', 'ete-a-zurich'],
    ['東京 2026', '東京-2026'],
    ['हिन्दी में', 'हिन्दी-में'],
    ['C++ & C#', 'c-c'],
    ['--a--b--', 'a-b'],
    ['한국어', '한국어'],
    ['🚀 !!!', 'post'],
    ['I ❤️ you', 'i-you'],
    ['1️⃣ Step one', '1-step-one'],
    ['İstanbul', 'istanbul'],
    ['Hồ Chí Minh', 'ho-chi-minh'],
    ['ท่าพระจันทร์', 'ท่าพระจันทร์'],
    ['می‌خواهم', 'می-خواهم'],
    ['がぎ', 'がぎ'],
    ['m² & ﬁne', 'm2-fine'],
    ['a_b.c~d', 'a-b-c-d'],
    ['葛\u{e0100}城', '葛城'],
    ['Мой йогурт', 'мой-йогурт'],
    ['Їжак і ґанок', 'їжак-і-ґанок'],
    ['Ёлка в Ўзбекистоне', 'ёлка-в-ўзбекистоне'],
    ['Мои\u0306 за\u0301мок', 'мой-за\u0301мок'],
    ['أحمد وآمال', 'أحمد-وآمال'],
    ['שָׁלוֹם', 'ש\u05b8\u05c1לו\u05b9ם'],
    ['ทำงาน', 'ทำงาน'],
    ['ㅋㅋㅋ', 'ㅋㅋㅋ'],
    ['ﷺ', 'ﷺ'],
    ['Ελλάδα Ἀθῆναι', 'ελλαδα-αθηναι'],
    ['Café Йорк', 'cafe-йорк'],
    ['𝓗𝓮𝓵𝓵𝓸 Ｗ１', 'hello-w1'],
  ])('derives from %j the slug %j', (title, slug) => {
    expect(slugFrom(title, 'post')).toBe(slug)
    expect(SlugInput.safeParse(slug).success).toBe(true)
  })

  it('cuts a slug to 200 characters including its number', () => {
    expect(slugFrom('x'.repeat(300), 'post')).toBe('x'.repeat(200))
    expect(slugFrom('x'.repeat(300), 'post', 12)).toBe(`${'x'.repeat(197)}-12`)
    expect(slugFrom(`${'x'.repeat(197)} yyy`, 'post', 2)).toBe(`${'x'.repeat(197)}-2`)
  })

  it('does not cut between a letter and its marks', () => {
    expect(slugFrom('हि'.repeat(100), 'post', 2)).toBe(`${'हि'.repeat(99)}-2`)
    expect(slugFrom(`${'а'.repeat(199)}а\u0301б`, 'post')).toBe('а'.repeat(199))
  })
})
