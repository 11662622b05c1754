// Public, private and disguised addresses, as a subscriber's URL or a name server may contain them, and what
// an operator can allow beyond public ones: loopback and exact hosts, but never metadata services.
import { describe, expect, it } from 'vitest'
import {
  type AddressPolicy,
  isBlockedHost,
  isPrivateLiteral,
  isPublicAddress,
} from '../../shared/webhooks/address.ts'

const strict: AddressPolicy = { allowLoopback: false, allowedHosts: [] }

/** The first and last addresses of networks and some between; and their neighbours, which are public. */
const NETWORKS: [name: string, addresses: string[], neighbours?: string[]][] = [
  ['this network', ['0.0.0.0', '0.255.255.255', '::']],
  ['private, class A', ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0']],
  ['private, class B', ['172.16.0.0', '172.31.255.255'], ['172.15.255.255', '172.32.0.0']],
  ['private, class C', ['192.168.0.0', '192.168.255.255'], ['192.167.255.255', '192.169.0.0']],
  ['carrier-grade NAT', ['100.64.0.0', '100.127.255.255'], ['100.63.255.255', '100.128.0.0']],
  ['loopback', ['127.0.0.1', '127.255.255.255'], ['126.255.255.255', '128.0.0.0']],
  ['loopback of IPv6', ['::1', '0:0:0:0:0:0:0:1']],
  ['link-local', ['169.254.0.0', '169.254.169.254', '169.254.255.255'], ['169.253.255.255', '169.255.0.0']],
  ['link-local of IPv6', ['fe80::1', 'febf::1']],
  ['protocol assignments', ['192.0.0.0', '192.0.0.255'], ['192.0.1.0']],
  ['protocol assignments of IPv6', ['2001::', '2001:1ff:ffff::1'], ['2000::', '2001:200::1']],
  ['documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.1'], ['198.51.99.255', '203.0.114.0']],
  ['documentation of IPv6', ['2001:db8::1', '2001:db8:ffff::1'], ['2001:db7:ffff::1', '2001:db9::1']],
  ['documentation since 2024', ['3fff::1', `3fff:fff${':ffff'.repeat(6)}`], ['3ffe:ffff::1', '3fff:1000::1']],
  ['relays of 6to4', ['192.88.99.1'], ['192.88.98.255', '192.88.100.0']],
  ['6to4', ['2002::1', '2002:7f00:1::', '2002:0808:0808::1'], ['2003::1']],
  ['benchmarking', ['198.18.0.0', '198.19.255.255', '2001:2::1'], ['198.17.255.255', '198.20.0.0']],
  ['multicast', ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'], ['223.255.255.255']],
  ['class E and broadcast', ['240.0.0.1', '255.255.255.254', '255.255.255.255']],
  [
    'v4-mapped',
    ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:a9fe:a9fe', '::ffff:10.0.0.1', '::ffff:8.8.8.8'],
  ],
  ['v4-compatible', ['::2', '::127.0.0.1', '::7f00:1', '::ffff:ffff']],
  ['v4-translated', ['::ffff:0:7f00:1', '::ffff:0:127.0.0.1']],
  ['NAT64', ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '64:ff9b:1:ffff::7f00:1']],
  ['discard', ['100::', '100::1', '100:0:0:1::1']],
  ['Teredo', ['2001::1', '2001:0:7f00:1::']],
  ['ORCHID', ['2001:10::1', '2001:20::1']],
  ['not given out', ['1fff::1', '4000::', '7fff::1', '8000::', 'fbff::1']],
  ['segment routing', ['5f00::1']],
  ['unique local', ['fc00::1', 'fd00:ec2::254', 'fdff::1']],
  ['site-local', ['fec0::1', 'feff::1']],
  ['public', [], ['1.1.1.1', '8.8.8.8', '2001:4860:4860::8888', '2606:4700:4700::1111']],
  ['with a zone', ['fe80::1%eth0', '2606:4700:4700::1111%eth0']],
  [
    'no address',
    ['', 'example.com', 'localhost', '127.1', '0x7f.1', '2130706433', '[::1]', '1.1.1.1:80', ' 1.1.1.1'],
  ],
]

describe('isPublicAddress', () => {
  it.each(NETWORKS)(
    'returns false for %s, and true for what is beside it',
    (_, addresses, neighbours = []) => {
      expect(addresses.filter(isPublicAddress)).toEqual([])
      expect(neighbours.filter(isPublicAddress)).toEqual(neighbours)
    },
  )
})

describe('isPrivateLiteral', () => {
  it.each([
    ...['http://127.0.0.1', 'http://127.1', 'http://0x7f.1', 'http://2130706433', 'http://017700000001'],
    ...['http://0', 'http://127.0.0.1.', 'http://①②⑦.⓪.⓪.①', 'http://%31%32%37.0.0.1'],
    ...['http://10.0.0.5:8080/hook', 'http://[::]', 'http://[::1]', 'http://[::127.0.0.1]'],
    ...['http://[::ffff:127.0.0.1]', 'http://[0:0:0:0:0:ffff:a9fe:a9fe]', 'http://[64:ff9b::7f00:1]'],
    ...['http://[2002:7f00:1::]', 'http://[fd00:ec2::254]/latest/meta-data'],
    ...['http://localhost', 'http://LOCALHOST.:4000', 'http://hooks.localhost'],
  ])('returns true for %s, in every spelling of an address', text => {
    expect(isPrivateLiteral(new URL(text).hostname)).toBe(true)
    expect(isBlockedHost(new URL(text), strict)).toBe(true)
  })

  it.each([
    'http://example.com',
    'https://1.1.1.1',
    'https://[2606:4700:4700::1111]:8443',
    'http://hooks.internal',
    'http://notlocalhost',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
  ])('returns false for %s: public, or a name that is checked when it is dialled', text => {
    expect(isPrivateLiteral(new URL(text).hostname)).toBe(false)
    expect(isBlockedHost(new URL(text), strict)).toBe(false)
  })
})

describe('isBlockedHost', () => {
  const isBlocked = (url: string, policy: Partial<AddressPolicy>) =>
    isBlockedHost(new URL(url), { ...strict, ...policy })

  it('allows loopback by address and by name, and no other private address', () => {
    const isBlockedHere = (host: string) => isBlocked(`http://${host}:4000`, { allowLoopback: true })
    const loopback = ['127.0.0.1', '127.8.8.8', '[::1]', 'localhost', 'hooks.localhost']
    expect(loopback.filter(isBlockedHere)).toEqual([])
    const mapped = '[::ffff:127.0.0.1]'
    const others = ['10.0.0.1', '0.0.0.0', '169.254.169.254', '[::]', '[::2]', mapped, '[fd00::1]']
    expect(others.filter(isBlockedHere)).toEqual(others)
  })

  it('allows a host with a port at that port, or at the default port of the scheme', () => {
    const allowedHosts = ['10.0.0.5:8080', '[FD00::5]:443']
    expect(isBlocked('http://10.0.0.5:8080/hook', { allowedHosts })).toBe(false)
    expect(isBlocked('https://[fd00::5]/', { allowedHosts })).toBe(false)
    expect(isBlocked('http://10.0.0.5', { allowedHosts })).toBe(true)
    expect(isBlocked('http://[fd00::5]/', { allowedHosts })).toBe(true)
    expect(isBlocked('http://10.0.0.6:8080', { allowedHosts })).toBe(true)
  })

  it('allows a host without a port at every port', () => {
    expect(isBlocked('http://10.0.0.5.:9999', { allowedHosts: ['10.0.0.5'] })).toBe(false)
    expect(isBlocked('http://10.0.0.5:9999', { allowedHosts: ['10.0.0.5'] })).toBe(false)
    expect(isBlocked('http://10.0.0.50:9999', { allowedHosts: ['10.0.0.5'] })).toBe(true)
  })

  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '169.254.171.255',
    '169.254.0.1',
    '[fd00:ec2::254]',
    '[fd00:ec2::23]',
    '[fe80::1]',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '0.0.0.0',
    '[::]',
    '224.0.0.1',
  ])('does not allow %s, where a function could reach credentials or the host itself', host => {
    for (const allowLoopback of [false, true]) {
      for (const url of [`http://${host}/latest/meta-data/`, `https://${host}:8443/`]) {
        expect([url, isBlocked(url, { allowLoopback, allowedHosts: [host] })]).toEqual([url, true])
      }
    }
  })

  it.each(['127.0.0.1', '127.0.0.1:9001', 'localhost', '[::1]'])(
    'does not allow %s on a stage, where a function could reach its own runtime',
    host => {
      expect(isBlocked(`http://${host}`, { allowedHosts: [host] })).toBe(true)
      expect(isBlocked(`http://${host}`, { allowedHosts: [host], allowLoopback: true })).toBe(false)
    },
  )
})
