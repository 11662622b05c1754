// By which names the gateway may be called, and where it listens for that.
import { describe, expect, it } from 'vitest'
import { readHosts } from '../../infra/local/gateway/hosts.ts'
import { rawRequest } from '../world/raw.ts'
import { startWorld } from './gateway-world.ts'

function answered(given: string[], hosts: string[]) {
  return hosts.filter(readHosts(given).allows)
}

describe('the names of the gateway', () => {
  it('are those of this machine, with any port', () => {
    const ours = ['127.0.0.1', '127.0.0.1:3000', 'localhost:8080', 'LocalHost']
    const others = [
      '',
      ':3000',
      'evil.example:3000',
      'localhost.evil.example',
      '127.0.0.1.nip.io',
      '192.168.0.7:3000',
    ]
    expect(answered([], [...ours, ...others])).toEqual(ours)
    expect(readHosts([]).addresses).toEqual(['127.0.0.1'])
  })

  it('are also an address that is given, where it listens beside its own', () => {
    expect(answered(['172.17.0.1'], ['172.17.0.1:3000', 'localhost', '172.17.0.2'])).toEqual([
      '172.17.0.1:3000',
      'localhost',
    ])
    expect(readHosts(['172.17.0.1']).addresses).toEqual(['127.0.0.1', '172.17.0.1'])
    expect(answered(['fd00::1'], ['[fd00::1]:3000', '[fd00::2]'])).toEqual(['[fd00::1]:3000'])
  })

  it('are also a name that is given, for which it listens on all addresses unless one is given, too', () => {
    expect(answered(['Build.Internal'], ['build.internal:3000', '172.17.0.1'])).toEqual([
      'build.internal:3000',
    ])
    expect(readHosts(['build.internal']).addresses).toEqual(['0.0.0.0'])
    expect(readHosts(['build.internal', '172.17.0.1']).addresses).toEqual(['127.0.0.1', '172.17.0.1'])
    expect(readHosts(['localhost']).addresses).toEqual(['127.0.0.1'])
  })

  it.each(['0.0.0.0', '::'])('are every address, but no further name, with %s', all => {
    expect(readHosts([all]).addresses).toEqual([all])
    expect(answered([all], ['10.1.2.3:3000', '[::1]', 'localhost', 'evil.example'])).toEqual([
      '10.1.2.3:3000',
      '[::1]',
      'localhost',
    ])
  })
})

describe('a request under another name (DNS rebinding)', () => {
  it('reaches no function, and its answer says how the service may be called', async () => {
    const { url, port } = await startWorld({ methods: { 'GET /calls': 'Echo' } })
    const headers = (host: string) => ({ headers: { Host: host } })
    for (const host of [`evil.example:${port}`, 'evil.example', `127.0.0.1.evil.example:${port}`]) {
      const { status, text } = await rawRequest(url, 'GET', '/calls', headers(host))
      expect(status).toBe(421)
      expect(text).toContain('--host NAME')
    }
    expect((await rawRequest(url, 'GET', '/calls', headers(`localhost:${port}`))).status).toBe(200)
  })
})
