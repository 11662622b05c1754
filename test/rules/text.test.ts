// Texts that come in: trimmed where they are one line, counted in code points, well-formed.
import { describe, expect, it } from 'vitest'
import {
  beginningOf,
  codePoints,
  folded,
  optionalLine,
  optionalWords,
  requiredLine,
  requiredText,
  Text,
} from '../../shared/http/text.ts'
import { faultOf } from './fault-of.ts'

describe('Text', () => {
  it('keeps a text unchanged', () => {
    expect(Text.parse(' <p>\n</p>\t ')).toBe(' <p>\n</p>\t ')
    expect(Text.parse('')).toBe('')
    expect(Text.parse('\u0000 👩‍👩‍👧 e\u0301')).toBe('\u0000 👩‍👩‍👧 e\u0301')
  })

  it.each(['\ud800', 'a\udc00b', '\udc00\ud800'])('rejects the lone surrogate in %j', text => {
    expect(faultOf(Text.safeParse(text))).toEqual(['Must be well-formed UTF-8.'])
  })

  it('reports whether a value is missing or not a string', () => {
    expect(faultOf(Text.safeParse(undefined))).toEqual(['Is required.'])
    for (const other of [null, 7, true, [], {}]) {
      expect(faultOf(Text.safeParse(other))).toEqual(['Must be a string.'])
    }
  })
})

describe('requiredLine', () => {
  it('trims a line and counts its code points', () => {
    expect(requiredLine(3).parse('  a b\u00a0\n')).toBe('a b')
    expect(requiredLine(3).parse('🚀🚀🚀')).toBe('🚀🚀🚀')
    expect(codePoints('e\u0301🚀')).toBe(3)
    expect(faultOf(requiredLine(3).safeParse('🚀🚀🚀🚀'))).toEqual(['Must be at most 3 characters.'])
  })

  it.each(['', ' ', '\t\n \u2003'])('treats %j as missing', text => {
    expect(faultOf(requiredLine(3).safeParse(text))).toEqual(['Is required.'])
  })
})

describe('a line of text', () => {
  it.each([
    'a\nb',
    'a\r\nb',
    'a\tb',
    'a\u0000b',
    'a\u001b[2Jb',
    'a\u007fb',
    'a\u0085b',
    'a\u2028b',
    'a\u2029b',
  ])('rejects the control character in %j', text => {
    for (const line of [requiredLine(20), optionalLine(20)]) {
      expect(faultOf(line.safeParse(text))).toEqual([
        'Must be one line, without tabs and other control characters.',
      ])
    }
  })

  it('is trimmed, but keeps white space and joiners inside', () => {
    for (const text of ['a  b', 'a\u00a0b', 'a\u200db', '👩‍👩‍👧 e\u0301']) {
      expect(requiredLine(20).parse(`\t${text}\n`)).toBe(text)
    }
  })
})

describe('optionalWords', () => {
  it('keeps line ends, trims the text and turns null into an empty one', () => {
    expect(optionalWords(20).parse(' a\r\n\tb\n')).toBe('a\r\n\tb')
    expect(requiredText(20).parse(' a\r\n\tb\n')).toBe(' a\r\n\tb\n')
    expect(optionalWords(20).parse(null)).toBe('')
  })
})

describe('requiredText', () => {
  it('keeps a text unchanged, counts code points and treats an empty one as missing', () => {
    expect(requiredText(4).parse(' \n🚀 ')).toBe(' \n🚀 ')
    expect(faultOf(requiredText(3).safeParse('🚀🚀🚀🚀'))).toEqual(['Must be at most 3 characters.'])
    expect(faultOf(requiredText(3).safeParse(''))).toEqual(['Is required.'])
  })
})

describe('optionalLine', () => {
  it('turns null into an empty line', () => {
    expect([null, '', '  ', ' a '].map(text => optionalLine(3).parse(text))).toEqual(['', '', '', 'a'])
    expect(faultOf(optionalLine(3).safeParse('abcd'))).toEqual(['Must be at most 3 characters.'])
  })
})

describe('beginningOf', () => {
  it('counts code points and cuts between grapheme clusters', () => {
    expect(beginningOf('', 3)).toBe('')
    expect(beginningOf('abc', 3)).toBe('abc')
    expect(beginningOf('abcd', 3)).toBe('abc')
    expect(beginningOf('🚀🚀🚀🚀', 3)).toBe('🚀🚀🚀')
    expect(beginningOf('ab👍🏽', 3)).toBe('ab')
    expect(beginningOf('abe\u0301', 3)).toBe('ab')
    expect(beginningOf('abc\u0301', 4)).toBe('abc\u0301')
    expect(beginningOf('🇩🇪🇫🇷', 3)).toBe('🇩🇪')
    expect(beginningOf(`a${'\u0301'.repeat(9)}`, 3)).toBe('')
  })
})

describe('folded', () => {
  it('removes case and diacritics, but keeps the vowel signs of other scripts', () => {
    expect(folded('ÉCOLE Über Ångström')).toBe('ecole uber angstrom')
    expect(folded('हिन्दी')).toBe('हिन्दी')
    expect(folded('ﬁ Ⅳ')).toBe('fi iv')
  })
})
