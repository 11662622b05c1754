// How texts of any script are split into words, for the index and for searches.
import { describe, expect, it } from 'vitest'
import { queryWords } from '../../shared/search/query.ts'
import { tokenize } from '../../shared/search/tokenizer.ts'

describe('tokenize', () => {
  const CASES: [name: string, text: string, words: string[]][] = [
    [
      'splits words at every character except letters, marks and digits',
      'Node.js v24, don’t panic',
      ['node', 'js', 'v24', 'don', 't', 'panic'],
    ],
    ['ignores case, and treats ß as ss', 'STRASSE Straße straße', ['strasse']],
    ['treats the two forms of a small sigma as one letter', 'ΟΔΟΣ οδός', ['οδοσ']],
    [
      'replaces special letters with the plain ones that readers type',
      'Łódź Ærøskøbing Cœur Đorđe ISPARTA Isparta ıspar',
      ['lodz', 'aeroskobing', 'coeur', 'dorde', 'isparta', 'ispar'],
    ],
    [
      'ignores diacritics, whether they are part of a character or follow it',
      'Café cafe\u0301 İstanbul',
      ['cafe', 'istanbul'],
    ],
    ['ignores a soft hyphen inside a word', 'co\u00adoperate', ['cooperate']],
    [
      'replaces ligatures, full-width letters and superscripts with plain characters',
      'ﬁne Ｆｕｌｌ 𝐁old x²',
      ['fine', 'full', 'bold', 'x2'],
    ],
    ['keeps a Korean word whole', '한국어 텍스트', ['한국어', '텍스트']],
    ['keeps the vowel signs of Hindi', 'हिन्दी शब्द', ['हिन्दी', 'शब्द']],
    ['ignores the vowel points of Arabic and Hebrew', 'مُحَمَّد שָׁלוֹם', ['محمد', 'שלום']],
    ['ignores a zero-width non-joiner inside a Persian word', 'می\u200cخواهم', ['میخواهم']],
    [
      'splits a script without spaces into pairs of adjacent characters',
      '日本語の本',
      ['日本', '本語', '語の', 'の本'],
    ],
    ['keeps the marks of characters in pairs', 'ภาษา', ['ภา', 'าษ', 'ษา']],
    ['treats a single digit in a script without spaces as one of its characters', '第1回', ['第1', '1回']],
    [
      'separates Latin words and numbers from a script without spaces',
      'iPhone日本2026',
      ['iphone', '日本', '2026'],
    ],
    ['returns no words for punctuation', ' -- !? ', []],
  ]
  it.each(CASES)('%s', (_, text, words) => {
    expect(tokenize(text)).toEqual(words)
  })

  it('splits a text of 300,000 letters without spaces', () => {
    const letters = Array.from({ length: 300_000 }, (_, n) => String.fromCodePoint(0x4e00 + (n % 20_000)))
    expect(tokenize(letters.join(''))).toHaveLength(20_000)
    expect(tokenize('語1'.repeat(150_000))).toEqual(['語1', '1語'])
  })

  it('cuts a word to 200 characters, the length of the longest search', () => {
    expect(tokenize('x'.repeat(5000))).toEqual(['x'.repeat(200)])
  })
})

describe('queryWords', () => {
  it('drops words of one character', () => {
    expect(queryWords('a b of c')).toEqual(['of'])
    expect(queryWords('a b')).toEqual([])
  })
})
