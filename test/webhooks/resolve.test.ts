// Host names of subscribers, resolved by a real name server.
import { describe, expect, it } from 'vitest'
import { resolveHost } from '../../shared/webhooks/commands/resolve.ts'
import { nameServer, type Zone } from './name-server.ts'

async function resolve(host: string, zone: Zone, signal = new AbortController().signal) {
  const { address, queries } = await nameServer(zone)
  const result = await resolveHost(host, { signal, nameServers: [address] }).catch((error: Error) => error)
  return { result, queries }
}

describe('resolveHost', () => {
  it('returns a literal address without a query', async () => {
    expect(await resolve('203.0.113.9', {})).toEqual({ result: ['203.0.113.9'], queries: [] })
    expect(await resolve('::1', {})).toEqual({ result: ['::1'], queries: [] })
  })

  it.each(['localhost', 'hooks.localhost'])('resolves %s without a query', async host => {
    expect(await resolve(host, {})).toEqual({ result: ['127.0.0.1', '::1'], queries: [] })
  })

  it('queries for IPv4 only if there is an address', async () => {
    const { result, queries } = await resolve('both.test', {
      'both.test': { A: ['203.0.113.9'], AAAA: ['2001:db8::9'] },
    })
    expect(result).toEqual(['203.0.113.9'])
    expect(queries).toEqual(['A both.test'])
  })

  it('queries for IPv6 if there is no IPv4 address', async () => {
    const { result, queries } = await resolve('six.test', { 'six.test': { AAAA: ['2001:db8::9'] } })
    expect(result).toEqual(['2001:db8::9'])
    expect(queries).toEqual(['A six.test', 'AAAA six.test'])
  })

  it.each([
    ['does not exist', 'gone.test', 'ENOTFOUND'],
    ['has no address', 'empty.test', 'ENODATA'],
    ['belongs to a broken zone', 'broken.test', 'ESERVFAIL'],
  ])('rejects for a name that %s', async (_why, host, code) => {
    const { result } = await resolve(host, { 'empty.test': {}, 'broken.test': 'SERVFAIL' })
    expect(result).toMatchObject({ code })
  })

  it('stops querying on the signal', async () => {
    const { result } = await resolve('silent.test', { 'silent.test': 'nothing' }, AbortSignal.timeout(100))
    expect(result).toMatchObject({ code: 'ECANCELLED' })
  })
})
