// The hosts that the service accepts, and the addresses that it listens on. How it refuses others is in
// test/api/request-targets.test.ts.
import { describe, expect, it } from 'vitest'
import { hostsNote, readHosts } from '../../infra/local/http/hosts.ts'

function accepted(options: string[], hosts: string[]) {
  return hosts.filter(readHosts(options).allows)
}

describe('the service', () => {
  it('accepts 127.0.0.1 and localhost with any port by default', () => {
    const ours = ['127.0.0.1', '127.0.0.1:3000', 'localhost:8080', 'LocalHost']
    const others = [
      '',
      ':3000',
      'evil.example:3000',
      'localhost.evil.example',
      '127.0.0.1.nip.io',
      '192.168.0.7:3000',
    ]
    expect(accepted([], [...ours, ...others])).toEqual(ours)
    expect(readHosts([]).addresses).toEqual(['127.0.0.1'])
  })

  it('accepts and listens on an address in --host', () => {
    expect(accepted(['172.17.0.1'], ['172.17.0.1:3000', 'localhost', '172.17.0.2'])).toEqual([
      '172.17.0.1:3000',
      'localhost',
    ])
    expect(readHosts(['172.17.0.1']).addresses).toEqual(['127.0.0.1', '172.17.0.1'])
    expect(accepted(['fd00::1'], ['[fd00::1]:3000', '[fd00::2]'])).toEqual(['[fd00::1]:3000'])
  })

  it('accepts a name in --host, and listens on all addresses if --host has no address', () => {
    expect(accepted(['Build.Internal'], ['build.internal:3000', '172.17.0.1'])).toEqual([
      'build.internal:3000',
    ])
    expect(readHosts(['build.internal']).addresses).toEqual(['0.0.0.0'])
    expect(readHosts(['build.internal', '172.17.0.1']).addresses).toEqual(['127.0.0.1', '172.17.0.1'])
    expect(readHosts(['localhost']).addresses).toEqual(['127.0.0.1'])
  })

  it.each(['0.0.0.0', '::'])('accepts every address but no other name with --host %s', all => {
    expect(readHosts([all]).addresses).toEqual([all])
    expect(accepted([all], ['10.1.2.3:3000', '[::1]', 'localhost', 'evil.example'])).toEqual([
      '10.1.2.3:3000',
      '[::1]',
      'localhost',
    ])
  })
})

function noteOf(...hosts: string[]) {
  return hostsNote(hosts, 'http://127.0.0.1:3000')
}

describe('the note about other machines', () => {
  it('says nothing if only this machine can reach the service', () => {
    expect([noteOf(), noteOf('localhost'), noteOf('127.0.0.1')]).toEqual(['', '', ''])
  })

  it('has the URLs of --host, and says when the service listens on all addresses', () => {
    const trust = 'use this only in networks that you trust.\n'
    expect(noteOf('172.17.0.1', 'build.internal')).toBe(
      `Other machines can reach it at http://172.17.0.1:3000, http://build.internal:3000: ${trust}`,
    )
    for (const host of ['build.internal', '0.0.0.0', '::']) {
      expect(noteOf(host)).toBe(`The service listens on all addresses of this machine: ${trust}`)
    }
  })
})
