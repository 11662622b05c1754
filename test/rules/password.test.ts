// Passwords as they are stored, which verify the right one alone, and the texts of tokens.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashPassword, verifyPassword } from '../../shared/accounts/password.ts'
import { newTokenSecret, parseToken, tokenText } from '../../shared/accounts/token.ts'
import { useCheapScrypt, useRealScrypt } from '../support/cheap-scrypt.ts'

beforeAll(useRealScrypt)
afterAll(useCheapScrypt)

describe('a password', () => {
  it('is distinguished from every other, and has a salt of its own', async () => {
    const [one, other] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    expect(one).not.toBe(other)
    expect(one).toMatch(/^scrypt\$131072\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    expect(await verifyPassword('correct horse', one)).toBe(true)
    expect(await verifyPassword('correct horse ', one)).toBe(false)
    expect(await verifyPassword('', one)).toBe(false)
    expect(await verifyPassword('correct horse\0', one)).toBe(false)
  })

  it('is the same in every Unicode form of its letters', async () => {
    expect(await verifyPassword('cafe\u0301', await hashPassword('caf\u00e9'))).toBe(true)
  })
})

describe('a token', () => {
  it('contains both ids, and ends in at least 40 random characters', () => {
    const secret = newTokenSecret()
    expect(secret).toMatch(/^[\w-]{40,}$/)
    expect(newTokenSecret()).not.toBe(secret)
    for (const isForBuilds of [true, false]) {
      const token = { userId: 7, tokenId: 12, secret, isForBuilds }
      expect(parseToken(tokenText(token))).toEqual(token)
    }
  })

  const secret = 'A'.repeat(43)
  it.each([
    '',
    'hcs',
    `hcs_0_1_${secret}`,
    `hcs_1_0_${secret}`,
    `hcs_01_1_${secret}`,
    `hcs_-1_1_${secret}`,
    `hcs_1_1_${secret}A`,
    `hcs_1_1_${secret.slice(1)}`,
    `hcs_1_1_${secret.slice(1)}=`,
    `hcs_${'9'.repeat(16)}_1_${secret}`,
    ` hcs_1_1_${secret}`,
    `hcs_1_1_${secret}\n`,
    `abc_1_1_${secret}`,
  ])('is not parsed from %j', text => {
    expect(parseToken(text)).toBeUndefined()
  })
})
