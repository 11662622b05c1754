// Which addresses a delivery reaches, how names are resolved, and which certificates it trusts.
import { networkInterfaces } from 'node:os'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AddressPolicy } from '../../shared/webhooks/address.ts'
import { expired, selfSigned } from '../fixtures/self-signed.ts'
import { nameServer, type Zone } from './name-server.ts'
import {
  deliver,
  failed,
  httpSubscriber,
  httpsSubscriber,
  rawSubscriber,
  SHORT_MS,
  succeeded,
} from './servers.ts'

const strict: AddressPolicy = { allowLoopback: false, allowedHosts: [] }
const hasIpv6 = Object.values(networkInterfaces()).some(all => all?.some(({ address }) => address === '::1'))

const ok = succeeded()
const blocked = failed('blocked_address')

function fine(host?: string) {
  return httpSubscriber((_request, response) => response.end(), host)
}

function allowing(allowedHosts: string[], allowLoopback = true): AddressPolicy {
  return { allowLoopback, allowedHosts }
}

describe('a delivery to an address that is not public', () => {
  it.each([
    'http://127.0.0.1',
    'http://0x7f.1',
    'http://localhost',
    'http://hooks.localhost',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'https://127.0.0.1',
    'https://localhost',
  ])('is blocked for %s, and nothing reaches the server', async origin => {
    const { port, connections } = await fine(hasIpv6 ? '::' : '0.0.0.0')
    expect(await deliver(`${origin}:${port}/`, { policy: strict })).toMatchObject(blocked)
    expect(connections()).toBe(0)
  })

  it.each(['http', 'https'])(
    'is blocked for an %s name that resolves to such an address, with a single query',
    async scheme => {
      const { port, connections } = await fine()
      const names = await nameServer({ 'rebound.test': { A: ['127.0.0.1', '169.254.169.254', '10.0.0.1'] } })
      const options = { policy: strict, nameServers: [names.address] }
      expect(await deliver(`${scheme}://rebound.test:${port}/`, options)).toMatchObject(blocked)
      expect(connections()).toBe(0)
      expect(names.queries).toEqual(['A rebound.test'])
    },
  )

  it('is not sent to loopback or metadata, although the operator allowed the name', async () => {
    const { port, connections } = await fine()
    const { address } = await nameServer({
      'hooks.internal': { A: ['127.0.0.1', '169.254.169.254', '169.254.170.2'] },
      'metadata.internal': { AAAA: ['fd00:ec2::254'] },
    })
    const deliverTo = (name: string, policy: AddressPolicy) =>
      deliver(`http://${name}:${port}/`, { policy, nameServers: [address] })
    const hooks = allowing([`hooks.internal:${port}`], false)
    expect(await deliverTo('hooks.internal', hooks)).toMatchObject(blocked)
    expect(await deliverTo('metadata.internal', allowing(['metadata.internal']))).toMatchObject(blocked)
    expect(connections()).toBe(0)
    expect(await deliverTo('hooks.internal', allowing(['hooks.internal']))).toMatchObject(ok)
    expect(connections()).toBe(1)
  })
})

describe('a delivery to a host that the operator allowed', () => {
  it('keeps the status for the log, and no headers and body of what the host answered', async () => {
    const { port } = await httpSubscriber((request, response) => {
      response.writeHead(Number(request.url?.slice(1)), { 'X-Internal': 'yes' }).end('internal')
    })
    const { address } = await nameServer({ 'hooks.internal': { A: ['127.0.0.1'] } })
    const deliverAt = (path: number, policy: AddressPolicy) =>
      deliver(`http://hooks.internal:${port}/${path}`, { policy, nameServers: [address] })
    for (const allowed of [`hooks.internal:${port}`, 'HOOKS.internal']) {
      for (const outcome of [succeeded(200), failed('redirect', 302), failed('status', 500)]) {
        const sent = await deliverAt(Number(outcome.response_status), allowing(['other.internal', allowed]))
        expect(sent).toMatchObject({ ...outcome, response: null })
        expect(JSON.stringify(sent)).not.toContain('X-Internal')
      }
    }
    expect((await deliverAt(200, allowing(['other.internal']))).response).not.toBeNull()
  })
})

describe('a delivery to a name', () => {
  it('goes to the address from the name server, with the name as its host', async () => {
    const hosts: unknown[] = []
    const { port } = await httpSubscriber((request, response) => {
      hosts.push(request.headers.host)
      response.end()
    })
    const { address } = await nameServer({ 'hooks.test': { A: ['127.0.0.1'] } })
    expect(await deliver(`http://hooks.test:${port}/`, { nameServers: [address] })).toMatchObject(ok)
    expect(hosts).toEqual([`hooks.test:${port}`])
  })

  it('skips addresses that are not allowed or refuse the connection', async () => {
    const { port } = await fine()
    const { address } = await nameServer({ 'hooks.test': { A: ['10.0.0.1', '127.0.0.2', '127.0.0.1'] } })
    expect(await deliver(`http://hooks.test:${port}/`, { nameServers: [address] })).toMatchObject(ok)
  })

  it.skipIf(!hasIpv6)('reaches a subscriber on localhost that listens on IPv6 only', async () => {
    const { port } = await fine('::1')
    expect(await deliver(`http://localhost:${port}/`)).toMatchObject(ok)
    expect(await deliver(`http://[::1]:${port}/`)).toMatchObject(ok)
  })

  it.each<[string, Zone, string]>([
    ['does not exist', {}, 'There is no host hooks.test.'],
    ['has no address', { 'hooks.test': {} }, 'The host hooks.test has no address.'],
    [
      'belongs to a broken zone',
      { 'hooks.test': 'SERVFAIL' },
      'The address of hooks.test could not be looked up.',
    ],
  ])('fails when the name %s', async (_why, zone, error_detail) => {
    const { address } = await nameServer(zone)
    const outcome = await deliver('http://hooks.test/', { nameServers: [address] })
    expect(outcome).toMatchObject({ ...failed('dns'), error_detail })
  })

  it.skipIf(!hasIpv6)('goes to its IPv6 address only if it has no IPv4 address', async () => {
    const { port } = await fine('::1')
    const both = await nameServer({ 'hooks.test': { A: ['127.0.0.1'], AAAA: ['::1'] } })
    await deliver(`http://hooks.test:${port}/`, { nameServers: [both.address] })
    expect(both.queries).toEqual(['A hooks.test'])
    const six = await nameServer({ 'hooks.test': { AAAA: ['::1'] } })
    expect(await deliver(`http://hooks.test:${port}/`, { nameServers: [six.address] })).toMatchObject(ok)
    expect(six.queries).toEqual(['A hooks.test', 'AAAA hooks.test'])
  })

  it('fails by the deadline when the name server is silent', async () => {
    const { address } = await nameServer({ 'silent.test': 'nothing' })
    const outcome = await deliver('http://silent.test/', { nameServers: [address], timeoutMs: SHORT_MS })
    expect(outcome).toMatchObject(failed('timeout'))
  })
})

describe('a delivery over TLS', () => {
  const trustSelfSigned = ({ cert } = selfSigned) => {
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, cert])
    onTestFinished(() => setDefaultCACertificates(before))
  }

  it('goes to a server with a trusted certificate for the name', async () => {
    trustSelfSigned()
    const { port } = await httpsSubscriber((request, response) => response.end(request.headers.host))
    expect(await deliver(`https://localhost:${port}/`)).toMatchObject(ok)
  })

  it.each([
    ['not for 127.0.0.1', '127.0.0.1', true],
    ['not for hooks.localhost', 'hooks.localhost', true],
    ['self-signed', 'localhost', false],
  ])('fails when the certificate is %s', async (_why, host, isTrusted) => {
    if (isTrusted) trustSelfSigned()
    const requests: unknown[] = []
    const { port } = await httpsSubscriber(request => requests.push(request))
    expect(await deliver(`https://${host}:${port}/`)).toMatchObject(failed('tls'))
    expect(requests).toEqual([])
  })

  it('fails when the certificate has expired, and says on which day', async () => {
    trustSelfSigned(expired)
    const { port } = await httpsSubscriber((_request, response) => response.end(), expired)
    const outcome = await deliver(`https://localhost:${port}/`)
    const error_detail = 'The certificate of the receiver expired on 2025-11-01.'
    expect(outcome).toMatchObject({ ...failed('tls'), error_detail })
  })

  it('fails when the server speaks plain HTTP or closes the connection', async () => {
    const plain = await rawSubscriber(socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const rude = await rawSubscriber(socket => socket.destroy())
    for (const { port } of [plain, rude]) {
      expect(await deliver(`https://localhost:${port}/`)).toMatchObject(failed('tls'))
    }
  })

  it('fails by the deadline when the handshake never ends', async () => {
    const { port } = await rawSubscriber(() => {})
    const outcome = await deliver(`https://localhost:${port}/`, { timeoutMs: SHORT_MS })
    expect(outcome).toMatchObject(failed('timeout'))
  })
})
