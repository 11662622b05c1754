// `verify-stage`: what it finds, and those checks that the local service can show.
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runChecks } from '../../infra/operator/commands/verify-stage.ts'
import { CannotTell, CHECKS, type Check } from '../../infra/operator/verify-stage/checks.ts'
import { selfSigned } from '../fixtures/self-signed.ts'
import { openServer } from '../support/server.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

async function runAt(baseUrl: string, checks: Check[]) {
  const findings = await runChecks(checks, { baseUrl, token: world.admin, mailSender: '' })
  return findings.map(({ finding, check, seen }) => `${finding}: ${check}: ${seen}`)
}

function named(text: string): Check[] {
  return CHECKS.filter(({ name }) => name.includes(text))
}

async function serve(listener: RequestListener): Promise<string> {
  const server = await openServer(listener)
  onTestFinished(server.stop)
  return server.url
}

describe('verify-stage', () => {
  it('tells what each check saw, and runs those after one that did not hold', async () => {
    const checks: Check[] = [
      { name: 'one', run: async () => '1 of 1' },
      { name: 'two', run: () => Promise.reject(new CannotTell('No TLS.')) },
      { name: 'three', run: () => Promise.reject(new Error('403')) },
      { name: 'four', run: async () => 'yes' },
    ]
    expect(await runAt('', checks)).toEqual([
      'held: one: 1 of 1',
      'cannot be told here: two: No TLS.',
      'did not hold: three: 403',
      'held: four: yes',
    ])
  })
})

describe('the checks', () => {
  it('hold for the local service, except for those that it cannot show, and leave nothing behind', async () => {
    const lines = await runAt(world.baseUrl, CHECKS)
    expect(lines).toHaveLength(CHECKS.length)
    expect(lines.filter(line => !line.startsWith('held: '))).toEqual([
      `cannot be told here: the TLS policy: ${world.baseUrl} is not an address of HTTPS.`,
      'cannot be told here: SES outside its sandbox: The stage sends no mails: its parameter MailSender is empty.',
    ])
    const response = await fetch(`${world.baseUrl}/api/v1/categories`)
    expect(await response.json()).toMatchObject({ data: [] })
  })

  it.each([
    { oldest: 'TLSv1.2', found: 'held: the TLS policy: TLS 1.0 and 1.1 are refused, TLS 1.2 is accepted' },
    { oldest: 'TLSv1', found: 'did not hold: the TLS policy: TLSv1: accepted.' },
  ] as const)('find the versions of TLS of a server from $oldest on', async ({ oldest, found }) => {
    const server = createServer({ ...selfSigned, minVersion: oldest, ciphers: 'DEFAULT:@SECLEVEL=0' })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const { port } = Object(server.address())
    expect(await runAt(`https://localhost:${port}`, named('TLS'))).toEqual([found])
  })

  it('do not hold for a gateway that refuses every request', async () => {
    const url = await serve((request, response) => {
      request.resume()
      response.writeHead(403).end('{"message":"not a valid key=value pair in Authorization header"}')
    })
    const lines = await runAt(url, CHECKS)
    const refused = lines.filter(line => !/HEAD|TLS|SES/.test(line))
    expect(refused.filter(line => line.startsWith('held'))).toEqual([])
  })

  it('name a category that could not be deleted', async () => {
    const url = await serve((request, response) => {
      request.resume()
      if (request.method !== 'POST') return void request.socket.destroy()
      response.writeHead(201).end('{"data":{"id":7}}')
    })
    const [line] = await runAt(url, named('may write'))
    expect(line).toMatch(/: Not deleted: the category 7\. TypeError: /)
  })
})
