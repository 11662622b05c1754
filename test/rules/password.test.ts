// Passwords and tokens as they are kept: enough to tell the right one, nothing to let anybody in.
import { describe, expect, it } from 'vitest'
import { hashPassword, verifyPassword } from '../../shared/accounts/password.ts'
import {
  hashSecret,
  newTokenSecret,
  parseToken,
  tokenText,
  verifySecret,
} from '../../shared/accounts/secrets.ts'

describe('a password', () => {
  it('is told from every other, and is kept under a salt of its own', async () => {
    const [one, other] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    expect(one).not.toBe(other)
    expect(one).toMatch(/^scrypt\$131072\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    expect(await verifyPassword('correct horse', one)).toBe(true)
    expect(await verifyPassword('correct horse ', one)).toBe(false)
    expect(await verifyPassword('', one)).toBe(false)
  })

  it('is the same in whatever form its letters are typed', async () => {
    expect(await verifyPassword('cafe\u0301', await hashPassword('caf\u00e9'))).toBe(true)
  })

  it('is checked by the costs that it was kept with', async () => {
    const cheap = 'scrypt$1024$8$1$c2FsdHNhbHRzYWx0c2FsdA$bEjhbN3dRnqTJOnTSUYwpCcZ8O6HEw-rd_nVkJfsjoc'
    expect(await verifyPassword('wrong', cheap)).toBe(false)
  })

  it('takes as long to refuse where nobody has one', async () => {
    const stored = await hashPassword('correct horse')
    const timeOf = async (kept: string | undefined) => {
      const started = process.cpuUsage()
      expect(await verifyPassword('wrong', kept)).toBe(false)
      const { user, system } = process.cpuUsage(started)
      return user + system
    }
    const [known, unknown] = [await timeOf(stored), await timeOf(undefined)]
    // Both are one scrypt: what is compared is whether there was one at all.
    expect(Math.min(known, unknown) / Math.max(known, unknown)).toBeGreaterThan(0.3)
  })
})

describe('a token', () => {
  it('names its user and its record, and ends in at least 40 random characters', () => {
    const secret = newTokenSecret()
    expect(secret).toMatch(/^[\w-]{40,}$/)
    expect(newTokenSecret()).not.toBe(secret)
    expect(parseToken(tokenText(7, 12, secret))).toEqual({ userId: 7, tokenId: 12, secret })
  })

  it('is known by a hash, which is no token', () => {
    const secret = newTokenSecret()
    expect(verifySecret(secret, hashSecret(secret))).toBe(true)
    expect(verifySecret(newTokenSecret(), hashSecret(secret))).toBe(false)
    expect(hashSecret(secret)).not.toContain(secret)
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
  ])('is not %j', text => {
    expect(parseToken(text)).toBeUndefined()
  })
})
