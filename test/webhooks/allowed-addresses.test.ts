// What an operator can allow beyond public addresses: loopback and exact hosts, but never metadata services.
import { describe, expect, it } from 'vitest'
import { type AddressPolicy, isBlockedHost } from '../../shared/webhooks/address.ts'

const strict: AddressPolicy = { allowLoopback: false, allowedHosts: [] }

describe('blockListFor', () => {
  const isBlocked = (url: string, policy: Partial<AddressPolicy>) =>
    isBlockedHost(new URL(url), { ...strict, ...policy })

  it('allows loopback by address and by name, and no other private address', () => {
    const local = { allowLoopback: true }
    for (const host of ['127.0.0.1', '127.8.8.8', '[::1]', 'localhost', 'hooks.localhost']) {
      expect([host, isBlocked(`http://${host}:4000`, local)]).toEqual([host, false])
    }
    for (const host of [
      '10.0.0.1',
      '0.0.0.0',
      '169.254.169.254',
      '[::]',
      '[::2]',
      '[::ffff:127.0.0.1]',
      '[fd00::1]',
    ]) {
      expect([host, isBlocked(`http://${host}:4000`, local)]).toEqual([host, true])
    }
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
