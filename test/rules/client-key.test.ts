// The key of a client: the same for one household, and useless to a reader of the table.
import { describe, expect, it } from 'vitest'
import { clientKey } from '../../shared/limits/limiter.ts'

const KEY = 'the key of client addresses'
function of(address: string) {
  return clientKey(address, KEY)
}

describe('clientKey', () => {
  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:db8::1', '2001:0db8:0000:0000:0000:0000:0000:0002'],
    ['2001:DB8:0:0:1::', '2001:db8::5'],
    ['::1', '::2'],
    ['2001:db8:1:2:3:4:192.0.2.1', '2001:db8:1:2::'],
    ['fe80::1%eth0', 'fe80::2'],
  ])('is the same for %s and %s, which are in one /64', (one, other) => {
    expect(of(one)).toBe(of(other))
  })

  it.each([
    ['192.0.2.1', '192.0.2.2'],
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['2001:db8::1', '2001:db8:0:1::1'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2'],
  ])('differs between %s and %s', (one, other) => {
    expect(of(one)).not.toBe(of(other))
  })

  it('is the key of the IPv4 address for an address that is mapped into IPv6', () => {
    expect(of('::ffff:192.0.2.1')).toBe(of('192.0.2.1'))
  })

  it('does not reveal the address, and depends on the secret key', () => {
    expect(of('192.0.2.1')).toMatch(/^[\w-]{27}$/)
    expect(clientKey('192.0.2.1', 'another key of addresses')).not.toBe(of('192.0.2.1'))
  })
})
