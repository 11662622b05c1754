// The doors of table, queues and mails: a web page and another user of this machine get no answer from behind them.
import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { parseEndpoint } from '../../infra/local/door/endpoint.ts'
import { findNetwork } from '../../infra/local/dynamodb/network.ts'
import { type Emulators, startEmulators } from '../../infra/local/emulators.ts'
import { interceptCalls } from '../../infra/local/faults/emulators.ts'

const { isPrivate } = await findNetwork()

let emulators: Emulators
let interposed: Emulators
beforeAll(async () => {
  emulators = await startEmulators()
  interposed = await interceptCalls(emulators, [(call, next) => next(call)], () => {})
})
afterAll(async () => {
  await interposed.stop()
  await emulators.stop()
})

/** What one may ask: of the table, of the queues, and of the outbox. */
const asking = {
  dynamodb: { path: '/', target: 'DynamoDB_20120810.ListTables', body: '{}' },
  sqs: { path: '/', target: 'AmazonSQS.ListQueues', body: '{}' },
  ses: { path: '/v2/email/outbound-emails', target: '', body: '{}' },
}
type Name = keyof typeof asking
const NAMES: Name[] = ['dynamodb', 'sqs', 'ses']
function placesOf(name: Name) {
  return [parseEndpoint(emulators[name].endpoint), parseEndpoint(interposed[name].endpoint)]
}

type Said = { status: number; headers: Record<string, unknown>; body: string }

/** As AWS's SDKs ask, but for the headers given. */
function ask(name: Name, url: string, headers: Record<string, string>, method = 'POST'): Promise<Said> {
  const { path, target, body } = asking[name]
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
  it('lets the service in, which has the key', async () => {
    for (const { url, key } of placesOf(name)) {
      const { status } = await ask(name, url, { 'X-Amz-Security-Token': key })
      expect(status).toBe(name === 'ses' ? 400 : 200)
    }
  })

  it('refuses whoever has no key, another one, or two', async () => {
    for (const { url, key } of placesOf(name)) {
      const wrong = `${key.startsWith('x') ? 'y' : 'x'}${key.slice(1)}`
      for (const token of [undefined, '', wrong, key.slice(1), `x${key}`]) {
        const headers: Record<string, string> = token === undefined ? {} : { 'X-Amz-Security-Token': token }
        expect(await ask(name, url, headers)).toMatchObject({ status: 403 })
      }
    }
  })

  it('gives a web page no answer that it may read, whatever its origin', async () => {
    for (const { url, key } of placesOf(name)) {
      for (const Origin of ['https://evil.example', 'http://localhost:3000', 'null', url]) {
        const wish = {
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'x-amz-target',
        }
        for (const said of [
          await ask(name, url, { Origin, ...wish }, 'OPTIONS'),
          await ask(name, url, { Origin }),
          await ask(name, url, { Origin, 'X-Amz-Security-Token': key }),
          await ask(name, url, { Origin }, 'GET'),
        ]) {
          expect(said.status).toBe(403)
          expect(Object.keys(said.headers).filter(each => each.startsWith('access-control'))).toEqual([])
          expect(said.body).toContain('AccessDenied')
        }
      }
    }
  })

  it('refuses a page whose own name leads to this machine (DNS rebinding), even with the key', async () => {
    for (const { url, key, port } of placesOf(name)) {
      for (const Host of [`evil.example:${port}`, 'evil.example', `127.0.0.1.evil.example:${port}`]) {
        expect(await ask(name, url, { Host, 'X-Amz-Security-Token': key })).toMatchObject({ status: 403 })
      }
    }
  })

  it('is on no address that other machines reach', async () => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find(each => each?.family === 'IPv4' && !each.internal)?.address
    if (!address) return
    for (const { port, key } of placesOf(name)) {
      const asked = ask(name, `http://${address}:${port}`, { 'X-Amz-Security-Token': key })
      await expect(asked).rejects.toThrow('ECONNREFUSED')
    }
  })
})

describe('another user of this machine', () => {
  // Elsewhere the database listens where others could connect, as the README says.
  it.runIf(isPrivate)('gets nothing from any port on which the emulators listen', async () => {
    const ports = await listeningPorts()
    const doors = NAMES.flatMap(placesOf).map(({ port }) => port)
    expect(doors.filter(port => !ports.includes(port))).toEqual([])
    expect(await answersIn(ports)).toEqual([])
  })

  it('is refused with the secret that the SDKs were told', async () => {
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
  it('asks again and again on one connection, and gets large answers whole', async () => {
    const client = new DynamoDBClient(clientSettings(emulators.dynamodb.endpoint))
    const all = Array.from({ length: 50 }, () => client.send(new ListTablesCommand({})))
    expect((await Promise.all(all)).map(({ TableNames }) => TableNames)).toEqual(all.map(() => []))
    client.destroy()
  })
})

const LISTENING = '0A'

/** Those in the list that every user may read, as far as they are of this process, the supervisor or the database. */
async function listeningPorts(): Promise<number[]> {
  const database = emulators.dynamodb.pid ?? 0
  const supervisor = Number(/^PPid:\s*(\d+)/m.exec(await readFile(`/proc/${database}/status`, 'utf8'))?.[1])
  const own = new Set((await Promise.all([process.pid, supervisor, database].map(socketsOf))).flat())
  const lines = (await readFile('/proc/net/tcp', 'utf8')).trim().split('\n').slice(1)
  return lines.flatMap(line => {
    const fields = line.trim().split(/\s+/)
    const [address = '', state, inode = ''] = [fields[1], fields[3], fields[9]]
    return state === LISTENING && own.has(inode) ? [Number.parseInt(address.split(':')[1] ?? '', 16)] : []
  })
}

async function socketsOf(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`
  const links = (await readdir(folder)).map(name => readlink(`${folder}/${name}`).catch(() => ''))
  return (await Promise.all(links)).flatMap(link => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [])
}

/** The ports that list tables or queues to a stranger. A process of its own, of nobody where the system lets us. */
async function answersIn(ports: number[]): Promise<number[]> {
  const script = `
    const ask = async (port, target) => {
      const headers = { 'X-Amz-Target': target, 'Content-Type': 'application/x-amz-json-1.0',
        Authorization: 'AWS4-HMAC-SHA256 Credential=x/20261122/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
        'X-Amz-Date': '20261122T100000Z' }
      const asked = fetch('http://127.0.0.1:' + port, { method: 'POST', body: '{}', headers, signal: AbortSignal.timeout(2000) })
      const answer = await asked.catch(() => undefined)
      return answer?.ok && /TableNames|QueueUrls/.test(await answer.text()) ? [port] : []
    }
    const targets = ['DynamoDB_20120810.ListTables', 'AmazonSQS.ListQueues']
    const all = ${JSON.stringify(ports)}.flatMap(port => targets.map(target => ask(port, target)))
    console.log(JSON.stringify((await Promise.all(all)).flat()))`
  const asRoot = process.getuid?.() === 0
  const words = [process.execPath, '--input-type=module', '-e', script]
  const [command = '', ...args] = asRoot
    ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', ...words]
    : words
  const { stdout } = await promisify(execFile)(command, args)
  return JSON.parse(stdout)
}
