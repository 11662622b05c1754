// The doors of the emulators: web pages and other users of this machine get no data through them.
import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { parseEndpoint } from '../../infra/local/door/endpoint.ts'
import { findNetwork } from '../../infra/local/dynamodb/network.ts'
import { type Emulators, startEmulators } from '../../infra/local/dynamodb/database.ts'
import { interceptCalls } from '../world/faults/emulators.ts'
import { answersIn, listeningPorts } from './ports.ts'

const { isPrivate } = await findNetwork()

let emulators: Emulators
let proxied: Emulators
beforeAll(async () => {
  emulators = await startEmulators()
  proxied = await interceptCalls(emulators, [(call, next) => next(call)], () => {})
})
afterAll(async () => {
  await proxied.stop()
  await emulators.stop()
})

/** A harmless request to each emulator. */
const REQUESTS = {
  dynamodb: { path: '/', target: 'DynamoDB_20120810.ListTables', body: '{}' },
  sqs: { path: '/', target: 'AmazonSQS.ListQueues', body: '{}' },
  ses: { path: '/v2/email/outbound-emails', target: '', body: '{}' },
  secretsManager: { path: '/', target: 'secretsmanager.GetSecretValue', body: '{"SecretId":"ClientKey"}' },
}
/** A mail without content, and a secret that does not exist. */
const INCOMPLETE: Name[] = ['ses', 'secretsManager']
type Name = keyof typeof REQUESTS
const NAMES: Name[] = ['dynamodb', 'sqs', 'ses', 'secretsManager']
function addressesOf(name: Name) {
  return [parseEndpoint(emulators[name].endpoint), parseEndpoint(proxied[name].endpoint)]
}

type Reply = { status: number; headers: Record<string, unknown>; body: string }

/** Sends a request as AWS's SDKs do, with other headers on top. */
function sendAs(name: Name, url: string, headers: Record<string, string>, method = 'POST'): Promise<Reply> {
  const { path, target, body } = REQUESTS[name]
  const scope = 'Credential=local/20261122/us-east-1/dynamodb/aws4_request'
  const own = {
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amz-Target': target,
    'X-Amz-Date': '20261122T100000Z',
    Authorization: `AWS4-HMAC-SHA256 ${scope}, SignedHeaders=host, Signature=0`,
  }
  return new Promise((resolve, reject) => {
    const sending = request(url + path, { method, headers: { ...own, ...headers }, agent: false }, answer => {
      answer
        .toArray()
        .then(
          parts => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: parts.join('') }),
          reject,
        )
    })
    sending.on('error', reject).end(method === 'POST' ? body : undefined)
  })
}

describe.each(NAMES)('the door of %s', name => {
  it('accepts requests with the key', async () => {
    for (const { url, key } of addressesOf(name)) {
      const { status } = await sendAs(name, url, { 'X-Amz-Security-Token': key })
      expect(status).toBe(INCOMPLETE.includes(name) ? 400 : 200)
    }
  })

  it('rejects requests without the key or with another one', async () => {
    for (const { url, key } of addressesOf(name)) {
      const otherKey = `${key.startsWith('x') ? 'y' : 'x'}${key.slice(1)}`
      for (const token of [undefined, '', otherKey, key.slice(1), `x${key}`]) {
        const headers: Record<string, string> = token === undefined ? {} : { 'X-Amz-Security-Token': token }
        expect(await sendAs(name, url, headers)).toMatchObject({ status: 403 })
      }
    }
  })

  it('gives web pages of any origin no readable answer', async () => {
    for (const { url, key } of addressesOf(name)) {
      for (const Origin of ['https://evil.example', 'http://localhost:3000', 'null', url]) {
        const preflight = {
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'x-amz-target',
        }
        for (const reply of [
          await sendAs(name, url, { Origin, ...preflight }, 'OPTIONS'),
          await sendAs(name, url, { Origin }),
          await sendAs(name, url, { Origin, 'X-Amz-Security-Token': key }),
          await sendAs(name, url, { Origin }, 'GET'),
        ]) {
          expect(reply.status).toBe(403)
          expect(Object.keys(reply.headers).filter(name => name.startsWith('access-control'))).toEqual([])
          expect(reply.body).toContain('AccessDenied')
        }
      }
    }
  })

  it('rejects a foreign host name (DNS rebinding), even with the key', async () => {
    for (const { url, key, port } of addressesOf(name)) {
      for (const Host of [`evil.example:${port}`, 'evil.example', `127.0.0.1.evil.example:${port}`]) {
        expect(await sendAs(name, url, { Host, 'X-Amz-Security-Token': key })).toMatchObject({ status: 403 })
      }
    }
  })

  it('listens on no address that other machines can reach', async () => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find(address => address?.family === 'IPv4' && !address.internal)?.address
    if (!address) return
    for (const { port, key } of addressesOf(name)) {
      const request = sendAs(name, `http://${address}:${port}`, { 'X-Amz-Security-Token': key })
      await expect(request).rejects.toThrow('ECONNREFUSED')
    }
  })
})

describe('another user of this machine', () => {
  // Without a private network other users can connect to the database, as README.md says.
  it.runIf(isPrivate)('gets no data from any port of the emulators', async () => {
    const ports = await listeningPorts(emulators.dynamodb.pid ?? 0)
    const doors = NAMES.flatMap(addressesOf).map(({ port }) => port)
    expect(doors.filter(port => !ports.includes(port))).toEqual([])
    expect(await answersIn(ports, Object.values(REQUESTS))).toEqual([])
  })

  it('gets an error with the credentials of the SDKs but without the key', async () => {
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
    const settings = { region: 'us-east-1', credentials, maxAttempts: 1 }
    const table = new DynamoDBClient({
      ...settings,
      endpoint: parseEndpoint(emulators.dynamodb.endpoint).url,
    })
    await expect(table.send(new ListTablesCommand({}))).rejects.toThrow('Only the service')
    const queues = new SQSClient({ ...settings, endpoint: parseEndpoint(emulators.sqs.endpoint).url })
    await expect(queues.send(new ListQueuesCommand({}))).rejects.toThrow()
  })
})

describe('a client with the key', () => {
  it('can send many requests on one connection', async () => {
    const client = new DynamoDBClient(clientSettings(emulators.dynamodb.endpoint))
    const all = Array.from({ length: 50 }, () => client.send(new ListTablesCommand({})))
    expect((await Promise.all(all)).map(({ TableNames }) => TableNames)).toEqual(all.map(() => []))
    client.destroy()
  })
})
