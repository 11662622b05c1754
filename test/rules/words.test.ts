// What a reader would call a word, in any script.
import { describe, expect, it } from 'vitest'
import { searchedWords } from '../../shared/search/query.ts'
import { wordsOf } from '../../shared/search/words.ts'

describe('the words of a text', () => {
  const CASES: [what: string, text: string, words: string[]][] = [
    [
      'letters, marks and digits, apart by all else',
      'Node.js v24, don’t panic',
      ['node', 'js', 'v24', 'don', 't', 'panic'],
    ],
    ['without case', 'STRASSE Straße straße', ['strasse']],
    ['with one sigma', 'ΟΔΟΣ οδός', ['οδοσ']],
    [
      'by the letters that readers type',
      'Łódź Ærøskøbing Cœur Đorđe ISPARTA Isparta ıspar',
      ['lodz', 'aeroskobing', 'coeur', 'dorde', 'isparta', 'ispar'],
    ],
    ['without diacritics, composed or not', 'Café cafe\u0301 İstanbul', ['cafe', 'istanbul']],
    ['whole where a hyphen only may be', 'co\u00adoperate', ['cooperate']],
    ['compatible forms as their plain ones', 'ﬁne Ｆｕｌｌ 𝐁old x²', ['fine', 'full', 'bold', 'x2']],
    ['Hangul as one word', '한국어 텍스트', ['한국어', '텍스트']],
    ['vowel signs kept', 'हिन्दी शब्द', ['हिन्दी', 'शब्द']],
    ['without vowel points', 'مُحَمَّد שָׁלוֹם', ['محمد', 'שלום']],
    ['Persian joined over what nobody sees', 'می\u200cخواهم', ['میخواهم']],
    ['pairs of neighbours without spaces', '日本語の本', ['日本', '本語', '語の', 'の本']],
    ['pairs with the marks on them', 'ภาษา', ['ภา', 'าษ', 'ษา']],
    ['a lone digit between them as one of them', '第1回', ['第1', '1回']],
    ['words of other scripts beside them', 'iPhone日本2026', ['iphone', '日本', '2026']],
    ['no words', ' -- !? ', []],
  ]
  it.each(CASES)('%s', (_, text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })

  it('searches by words of two characters and more', () => {
    expect(searchedWords('a b of c')).toEqual(['of'])
    expect(searchedWords('a b')).toEqual([])
  })

  it('are all found in a text of 300,000 letters without a space between them', () => {
    const letters = Array.from({ length: 300_000 }, (_, n) => String.fromCodePoint(0x4e00 + (n % 20_000)))
    expect(wordsOf(letters.join(''))).toHaveLength(20_000)
    expect(wordsOf('語1'.repeat(150_000))).toEqual(['語1', '1語'])
  })

  it('cuts a word that no search can ask for whole', () => {
    expect(wordsOf('x'.repeat(5000))).toEqual(['x'.repeat(200)])
  })
})
