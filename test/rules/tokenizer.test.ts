// How texts of any script are split into words, for the index and for searches.
import { describe, expect, it } from 'vitest'
import { queryWords, tokenize } from '../../shared/search/tokenizer.ts'
import { comparedTo, cpuMsOf } from '../support/cpu-ratio.ts'

/** A text of so many characters would take minutes in quadratic time. */
const LONG = 50_000

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
    ['returns no words for punctuation', ' -- !? + # ++ 3 ', ['3']],
    [
      'keeps every + and # that follows a letter, also full-width ones, and no others',
      'C++, C# (f#) Ｃ＋＋11 a+b 8+ #tag +1 C ++ é+',
      ['c++', 'c#', 'f#', '11', 'a+', 'b', '8', 'tag', '1', 'c', 'e+'],
    ],
    [
      'keeps + and # after Latin letters next to a script without spaces, and drops them after that script',
      '使用C++编写 用C#写 日本+中国',
      ['使用', 'c++', '编写', '用', 'c#', '写', '日本', '中国'],
    ],
    [
      'returns a number with dots as a word as well as its parts, also within a longer word',
      'v2.0.1, Node.js 0.10.33-rc1. 10.x 1..2 ٣.١٤ 3.14.',
      ['v2', '0', '1', 'node', 'js', '10', '33', 'rc1', 'x', '2', '٣', '١٤', '3', '14'].concat(
        '2.0.1 0.10.33 ٣.١٤ 3.14'.split(' '),
      ),
    ],
    [
      'returns single letters joined by & or / as a word as well',
      'R&D, Q&A, I/O (B&B&B); AT&T and/or R & D, 9/8',
      ['r', 'd', 'q', 'a', 'i', 'o', 'b', 'at', 't', 'and', 'or', '9', '8'].concat(
        'r&d q&a i/o b&b&b'.split(' '),
      ),
    ],
    [
      'joins no letter with one that + or # follows',
      'C/C++ A/B/C# P&L/F#',
      'c c++ a b c# p l f# a/b p&l'.split(' '),
    ],
    ['treats every form of alef as the plain letter', 'أحمد إحمد آحمد ٱحمد ا\u0654حمد', ['احمد']],
    [
      'ignores the nukta of Indic letters, whether it is part of a character or follows it',
      '\u0958\u0915\u093c \u0959\u0916\u093c \u095b\u091c\u093c \u095c\u0921\u093c \u0929\u0928\u093c \u0931\u0930\u093c',
      ['कक', 'खख', 'जज', 'डड', 'नन', 'रर'],
    ],
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

  const PARTS = [
    '+',
    '#',
    '.',
    '&',
    '/',
    'a+',
    '1.',
    '12.34.',
    'a&',
    'a/',
    '1',
    'c++',
    'a\u0300+',
    '\u0915\u093c+',
  ]

  const plain = Array.from({ length: LONG / 5 }, (_, n) => (10_000 + n).toString(36)).join('  ')
  const timesPlain = comparedTo(() => cpuMsOf(() => tokenize(plain)))

  it.each(PARTS)('takes at most thirty times as long for a text of %j as for different words', async part => {
    const hostile = part.repeat(LONG / part.length)
    expect(await timesPlain(() => cpuMsOf(() => tokenize(hostile)), 30)).toBeLessThanOrEqual(30)
  })
})

describe('queryWords', () => {
  it('drops words of one character', () => {
    expect(queryWords('a b of c')).toEqual(['of'])
    expect(queryWords('a b')).toEqual([])
  })

  it('keeps names and numbers that consist of single characters and signs', () => {
    expect(queryWords('C++ c# R&D 2.0')).toEqual(['c++', 'c#', '2.0', 'r&d'])
    expect(queryWords('c+')).toEqual(['c+'])
    expect(queryWords('2.')).toEqual([])
    expect(queryWords('.NET')).toEqual(['net'])
  })
})
