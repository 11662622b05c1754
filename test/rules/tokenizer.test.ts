// Splits texts of any script into words.
import { describe, expect, it } from 'vitest'
import { queryWords } from '../../shared/search/query.ts'
import { tokenize } from '../../shared/search/tokenizer.ts'

describe('tokenize', () => {
  const CASES: [what: string, text: string, words: string[]][] = [
    [
      'separates words at all but letters, marks and digits',
      'Node.js v24, don’t panic',
      ['node', 'js', 'v24', 'don', 't', 'panic'],
    ],
    ['ignores case', 'STRASSE Straße straße', ['strasse']],
    ['has one sigma', 'ΟΔΟΣ οδός', ['οδοσ']],
    [
      'replaces special letters with those that readers type',
      'Łódź Ærøskøbing Cœur Đorđe ISPARTA Isparta ıspar',
      ['lodz', 'aeroskobing', 'coeur', 'dorde', 'isparta', 'ispar'],
    ],
    ['ignores diacritics, composed or not', 'Café cafe\u0301 İstanbul', ['cafe', 'istanbul']],
    ['joins a word over a soft hyphen', 'co\u00adoperate', ['cooperate']],
    [
      'replaces compatible forms with their plain ones',
      'ﬁne Ｆｕｌｌ 𝐁old x²',
      ['fine', 'full', 'bold', 'x2'],
    ],
    ['takes Hangul between spaces as one word', '한국어 텍스트', ['한국어', '텍스트']],
    ['keeps vowel signs', 'हिन्दी शब्द', ['हिन्दी', 'शब्द']],
    ['ignores vowel points', 'مُحَمَّد שָׁלוֹם', ['محمد', 'שלום']],
    ['joins Persian words over invisible characters', 'می\u200cخواهم', ['میخواهم']],
    ['makes pairs of neighbours in a script without spaces', '日本語の本', ['日本', '本語', '語の', 'の本']],
    ['keeps the marks of characters in pairs', 'ภาษา', ['ภา', 'าษ', 'ษา']],
    ['takes a single digit between such characters as one of them', '第1回', ['第1', '1回']],
    ['separates words of other scripts from such characters', 'iPhone日本2026', ['iphone', '日本', '2026']],
    ['has no words in punctuation', ' -- !? ', []],
  ]
  it.each(CASES)('%s', (_, text, words) => {
    expect(tokenize(text)).toEqual(words)
  })

  it('splits a text of 300,000 letters without spaces', () => {
    const letters = Array.from({ length: 300_000 }, (_, n) => String.fromCodePoint(0x4e00 + (n % 20_000)))
    expect(tokenize(letters.join(''))).toHaveLength(20_000)
    expect(tokenize('語1'.repeat(150_000))).toEqual(['語1', '1語'])
  })

  it('cuts a word to the length of the longest search', () => {
    expect(tokenize('x'.repeat(5000))).toEqual(['x'.repeat(200)])
  })
})

describe('queryWords', () => {
  it('drops words of one character', () => {
    expect(queryWords('a b of c')).toEqual(['of'])
    expect(queryWords('a b')).toEqual([])
  })
})
