// The hosts that the service accepts, and the addresses that it listens on. How it refuses others is in
// test/api/request-targets.test.ts.
import { describe, expect, it } from 'vitest'
import { readHosts } from '../../infra/local/http/hosts.ts'

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
