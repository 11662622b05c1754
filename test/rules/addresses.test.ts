// E-mail addresses and URLs in requests: kept, cleaned, or rejected.
import { describe, expect, it } from 'vitest'
import { asciiEmail, emailAddress, foldedEmail, readableEmail } from '../../shared/http/email.ts'
import { cleanUrl, httpUrl } from '../../shared/http/text.ts'
import { faultOf } from './fault-of.ts'

describe('emailAddress', () => {
  const longest = `${'l'.repeat(64)}@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(58)}.io`

  it.each(['ada@example.com', "a.b+c'd!@sub-domain.example.co", 'A@EXAMPLE.XN--P1AI', '1@2.io', longest])(
    'trims %s and changes nothing else',
    text => {
      expect(emailAddress.parse(` ${text}\n`)).toBe(text)
    },
  )

  it.each([
    'ada',
    'ada@',
    '@example.com',
    'ada@localhost',
    'ada@example.',
    'ada@example.c',
    'ada@1.2.3.4',
    'ada@-a.com',
    'ada@a..com',
    '.a@example.com',
    'a..b@example.com',
    'a b@example.com',
    'a@b@example.com',
    'ada@example.com\nBcc: eve@example.com',
    'Ada <ada@example.com>',
    `l${longest}`,
    `${longest}m`,
    `${'a.'.repeat(100_000)}@example.com`,
  ])('rejects %j', text => {
    expect(faultOf(emailAddress.safeParse(text))).toEqual([
      'Must be a valid e-mail address of at most 254 characters.',
    ])
  })

  it.each([
    'ada@bücher.example',
    'Ada@BÜCHER.example',
    'ada@bu\u0308cher.example',
    'ada@例え.テスト',
    'ada@ｅxample.com',
    'ada@نامه\u200cای.com',
    `ada@${'ü'.repeat(50)}.example`,
  ])('keeps the host of %s as given', text => {
    expect(emailAddress.parse(text)).toBe(text)
  })

  it.each([
    'ada@bücher',
    'ada@bücher.c',
    'ada@a..bücher.example',
    'ada@.bücher.example',
    'ada@bücher.example.',
    'ada@bü cher.example',
    'ada@bü_cher.example',
    'ada@bücher.example/x',
    'ada@bücher.example:80',
    'ada@b%C3%BCcher.example',
    'ada@bücher％2Eexample.com',
    'ada@exa\u00admple.com',
    'ada@exa\u200bmple.com',
    'ada@bücher\u202e.example',
    'ada@bücher\u0000.example',
    'ada@bücher\u2028.example',
    'ada@a\u200d.example',
    'ada@１２７.０.０.１',
    'ada@xn--bücher.example',
    'adä@example.com',
    `ada@${'ü'.repeat(80)}.example`,
    `ada@${'bücher.'.repeat(30)}example`,
  ])('rejects the host of %j', text => {
    expect(emailAddress.safeParse(text).success).toBe(false)
  })

  it('reports an empty address as missing', () => {
    expect(faultOf(emailAddress.safeParse('  '))).toEqual(['Is required.'])
  })
})

describe('foldedEmail', () => {
  it.each([
    ['Ada@Example.com', 'ada@example.com', 'ada@example.com'],
    ['Ada@BÜCHER.example', 'ada@xn--bcher-kva.example', 'ada@bücher.example'],
    ['ada@bu\u0308cher.example', 'ada@xn--bcher-kva.example', 'ada@bücher.example'],
    ['ADA@XN--BCHER-KVA.example', 'ada@xn--bcher-kva.example', 'ada@bücher.example'],
    ['ada@faß.de', 'ada@xn--fa-hia.de', 'ada@faß.de'],
    ['ada@例え。テスト', 'ada@xn--r8jz45g.xn--zckzah', 'ada@例え.テスト'],
    ['Text @ Ärger, and more', 'text @ ärger, and more', 'text @ ärger, and more'],
    ['bücher.example', 'bücher.example', 'bücher.example'],
  ])('of %j is %j, which people read as %j', (given, folded, readable) => {
    expect(foldedEmail(given)).toBe(folded)
    expect(foldedEmail(folded)).toBe(folded)
    expect(readableEmail(folded)).toBe(readable)
    expect(foldedEmail(readable)).toBe(folded)
  })
})

describe('asciiEmail', () => {
  it('keeps the part before the @ as given', () => {
    expect(asciiEmail('Ada.L@BÜCHER.example')).toBe('Ada.L@xn--bcher-kva.example')
    expect(asciiEmail('Ada.L@Example.com')).toBe('Ada.L@Example.com')
  })
})

describe('httpUrl', () => {
  it.each(['http://a.example', 'https://a.example/b?c=d#e', 'https://münchen.example/', 'HTTPS://A.example'])(
    'trims %s and changes nothing else',
    text => {
      expect(httpUrl(100).parse(` ${text}\n`)).toBe(text)
    },
  )

  it.each([
    '',
    '/path',
    '//a.example',
    'a.example',
    'ftp://a.example',
    'javascript:alert(1)',
    'http://',
    'https:a.example',
    'https:/a.example',
    'https://a.example/a b',
    'https://a.example/\nb',
    'https://a.ex\tample/',
    `https://a.example/${'x/../'.repeat(100)}`,
    `https://a.example/${'x'.repeat(100)}`,
  ])('rejects %j', text => {
    expect(httpUrl(100).safeParse(text).success).toBe(false)
  })
})

describe('cleanUrl', () => {
  it.each([
    [' https://a.example ', 'https://a.example/'],
    ['HTTPS://A.example:443/b/../c?d=é#f', 'https://a.example/c?d=%C3%A9#f'],
    ['https://münchen.example/ü\u202e', 'https://xn--mnchen-3ya.example/%C3%BC%E2%80%AE'],
    ['https://@a.example/', 'https://a.example/'],
  ])('turns %j into %j', (url, stored) => {
    expect(cleanUrl(100).parse(url)).toBe(stored)
    expect(cleanUrl(100).parse(stored)).toBe(stored)
  })

  it.each(['https://me@a.example/', 'https://me:secret@a.example/', 'https://:secret@a.example/'])(
    'rejects the user info of %s',
    text => {
      expect(faultOf(cleanUrl(100).safeParse(text))).toEqual([
        'Must be an absolute http or https URL of at most 100 characters, without user info.',
      ])
    },
  )

  it.each([
    'https://a.example/\tb',
    'ht\ntps://a.example/',
    'https://a.example/\u0085',
    'https://a.example/a b',
    'https:a.example',
  ])('rejects %j', text => {
    expect(cleanUrl(100).safeParse(text).success).toBe(false)
  })
})
