// What an operator allows beyond public addresses: loopback, exact hosts, and never where credentials are found.
import { describe, expect, it } from 'vitest'
import { type AddressPolicy, isBlockedHost } from '../../shared/webhooks/address.ts'

const strict: AddressPolicy = { allowLoopback: false, allowedHosts: [] }

describe('what an operator allows', () => {
  const refused = (url: string, policy: Partial<AddressPolicy>) =>
    isBlockedHost(new URL(url), { ...strict, ...policy })

  it('is loopback by address and by name, and no other private address', () => {
    const local = { allowLoopback: true }
    for (const host of ['127.0.0.1', '127.8.8.8', '[::1]', 'localhost', 'hooks.localhost']) {
      expect([host, refused(`http://${host}:4000`, local)]).toEqual([host, false])
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
      expect([host, refused(`http://${host}:4000`, local)]).toEqual([host, true])
    }
  })

  it('is a host at one port, the one of the scheme when the URL has none', () => {
    const allowedHosts = ['10.0.0.5:8080', '[FD00::5]:443']
    expect(refused('http://10.0.0.5:8080/hook', { allowedHosts })).toBe(false)
    expect(refused('https://[fd00::5]/', { allowedHosts })).toBe(false)
    expect(refused('http://10.0.0.5', { allowedHosts })).toBe(true)
    expect(refused('http://[fd00::5]/', { allowedHosts })).toBe(true)
    expect(refused('http://10.0.0.6:8080', { allowedHosts })).toBe(true)
  })

  it('is a host at every port when it names none', () => {
    expect(refused('http://10.0.0.5.:9999', { allowedHosts: ['10.0.0.5'] })).toBe(false)
    expect(refused('http://10.0.0.5:9999', { allowedHosts: ['10.0.0.5'] })).toBe(false)
    expect(refused('http://10.0.0.50:9999', { allowedHosts: ['10.0.0.5'] })).toBe(true)
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
  ])('is never %s, where the function would find credentials or the host itself', host => {
    for (const allowLoopback of [false, true]) {
      for (const url of [`http://${host}/latest/meta-data/`, `https://${host}:8443/`]) {
        expect([url, refused(url, { allowLoopback, allowedHosts: [host] })]).toEqual([url, true])
      }
    }
  })

  it.each(['127.0.0.1', '127.0.0.1:9001', 'localhost', '[::1]'])(
    'is not %s on a stage, even as an exact host: a function finds its own runtime there',
    host => {
      expect(refused(`http://${host}`, { allowedHosts: [host] })).toBe(true)
      expect(refused(`http://${host}`, { allowedHosts: [host], allowLoopback: true })).toBe(false)
    },
  )
})
