// The client of AWS: what it sends, where to, and what it makes of answers.
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { DynamoDBClient, GetItemCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { AwsError } from '../../shared/aws/client.ts'
import { DYNAMODB, endpointOf, SQS } from '../../shared/aws/services.ts'
import { conditionFailureOf } from '../../shared/table/action.ts'
import { connect } from '../../shared/table/client.ts'
import { isBusy, isConflict } from '../../shared/table/retrying.ts'
import { useTable } from '../support/new-table.ts'
import { use } from '../support/use.ts'

type Answer = (response: ServerResponse, sent: { headers: IncomingHttpHeaders; body: string }) => unknown

/** Plays an answer to each call, and keeps what was sent. */
async function openServer() {
  const requests: { headers: IncomingHttpHeaders; body: string }[] = []
  let answer: Answer = response => response.end('{}')
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    requests.push({ headers: request.headers, body })
    answer(response, { headers: request.headers, body })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const credentials = { accessKeyId: 'AKID', secretAccessKey: 'a secret', sessionToken: 'a-token' }
  const { call } = connect({ endpoint, region: 'eu-central-1', credentials })
  const get = () => call('GetItem', { TableName: 'a-table', Key: { pk: { S: 'ä' } } })
  /** What was sent, and the item that came back or the error. */
  const play = async (own: Answer) => {
    requests.length = 0
    answer = own
    const result = await get().catch((error: unknown) => error)
    return { requests, result }
  }
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { play, stop }
}

const server = use(openServer)
const world = useTable()
afterEach(() => vi.unstubAllEnvs())

function failure(status: number, type: string, more: object = {}): Answer {
  return response => response.writeHead(status).end(JSON.stringify({ __type: `service#${type}`, ...more }))
}

async function errorOf(answer: Answer): Promise<AwsError> {
  const { result } = await server.play(answer)
  if (result instanceof AwsError) return result
  throw new Error('The call did not fail as expected.', { cause: result })
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

describe('a request', () => {
  it('has a signature of all that matters, by the rules of Signature Version 4', async () => {
    const { requests } = await server.play(response => response.end('{}'))
    const [{ headers, body } = { headers: {}, body: '' }] = requests
    expect(headers).toMatchObject({
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.GetItem',
      'x-amz-security-token': 'a-token',
    })
    const [, scope = '', names = '', signature] =
      /^AWS4-HMAC-SHA256 Credential=AKID\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
        headers.authorization ?? '',
      ) ?? []
    const signed = names.split(';')
    expect(signed).toEqual(
      expect.arrayContaining(['host', 'x-amz-date', 'x-amz-security-token', 'x-amz-target']),
    )
    const lines = signed.map(name => `${name}:${headers[name]}\n`).join('')
    const request = `POST\n/\n\n${lines}\n${names}\n${hex(body)}`
    const text = `AWS4-HMAC-SHA256\n${headers['x-amz-date']}\n${scope}\n${hex(request)}`
    const key = scope.split('/').reduce<string | Buffer>(hmac, 'AWS4a secret')
    expect(scope).toMatch(/^\d{8}\/eu-central-1\/dynamodb\/aws4_request$/)
    expect(signature).toBe(hmac(key, text).toString('hex'))
  })

  it('has the trace of its invocation, which changes', async () => {
    for (const id of ['Root=1-first', 'Root=1-second']) {
      vi.stubEnv('_X_AMZN_TRACE_ID', id)
      const { requests } = await server.play(response => response.end('{}'))
      expect(requests[0]?.headers['x-amzn-trace-id']).toBe(id)
    }
  })

  it('is sent again with the date of AWS if the clock is wrong, once', async () => {
    const aheadMs = 7_200_000
    const signedMs = (headers: IncomingHttpHeaders) =>
      Date.parse(String(headers['x-amz-date']).replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'))
    const strict: Answer = (response, { headers }) => {
      const isOff = Math.abs(signedMs(headers) - Date.now() - aheadMs) > 300_000
      response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString())
      const answer: Answer = isOff ? failure(400, 'InvalidSignatureException') : () => response.end('{}')
      answer(response, { headers, body: '' })
    }
    expect((await server.play(strict)).requests).toHaveLength(2)
    expect((await server.play(strict)).requests).toHaveLength(1)
    // Its clock is right now, so that another reason remains.
    const refusing: Answer = (response, sent) => {
      response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString())
      failure(400, 'InvalidSignatureException')(response, sent)
    }
    const { requests, result } = await server.play(refusing)
    expect([requests.length, Object(result).name]).toEqual([1, 'InvalidSignatureException'])
  })
})

describe('the address of a call', () => {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }
  const flags = [true, false].flatMap(fips => [true, false].map(dual => ({ fips, dual })))
  const regions = ['eu-west-1', 'us-east-1', 'cn-north-1', 'eusc-de-east-1']

  it.each(regions)('is that of the SDK in %s, with FIPS and with two stacks', async region => {
    for (const { fips, dual } of flags) {
      const hosts: string[] = []
      const handle = async ({ hostname }: { hostname: string }) => {
        hosts.push(`https://${hostname}`)
        throw new Error('Only the address matters.')
      }
      const settings = {
        region,
        credentials,
        useFipsEndpoint: fips,
        useDualstackEndpoint: dual,
        maxAttempts: 1,
      }
      const own = { ...settings, requestHandler: { handle } as never }
      await new DynamoDBClient(own).send(new ListTablesCommand({})).catch(() => undefined)
      await new SQSClient(own).send(new ListQueuesCommand({})).catch(() => undefined)
      const variables = { AWS_USE_FIPS_ENDPOINT: String(fips), AWS_USE_DUALSTACK_ENDPOINT: String(dual) }
      expect([DYNAMODB, SQS].map(service => endpointOf(service, region, variables))).toEqual(hosts)
    }
  })

  it('is the endpoint in the environment: that of the service before that of all', () => {
    const all = { AWS_ENDPOINT_URL: 'http://all', AWS_USE_FIPS_ENDPOINT: 'true' }
    expect(endpointOf(SQS, 'eu-west-1', all)).toBe('http://all')
    const own = { ...all, AWS_ENDPOINT_URL_SQS: 'http://queues' }
    expect(endpointOf(SQS, 'eu-west-1', own)).toBe('http://queues')
    expect(endpointOf(DYNAMODB, 'eu-west-1', own)).toBe('http://all')
  })
})

describe('an error', () => {
  it('has the name, the status and the message that AWS gives it', async () => {
    const error = await errorOf(failure(400, 'AccessDeniedException', { Message: 'Not allowed.' }))
    expect([error.name, error.status, error.message]).toEqual(['AccessDeniedException', 400, 'Not allowed.'])
    expect(isBusy(error)).toBe(false)
  })

  it('has the item that failed a condition, and the reasons of a cancelled transaction', async () => {
    const condition = failure(400, 'ConditionalCheckFailedException', { Item: { n: { N: '1' } } })
    const failed = conditionFailureOf(await errorOf(condition), [{ onConditionFailed: 'taken' }])
    expect(failed).toMatchObject({ reasons: ['taken'], item: { n: 1 } })
    const reasons = (Code: string) => ({ CancellationReasons: [{ Code: 'None' }, { Code }] })
    const cancelled = failure(400, 'TransactionCanceledException', reasons('ConditionalCheckFailed'))
    const meanings = [{}, { onConditionFailed: 'gone' }]
    expect(conditionFailureOf(await errorOf(cancelled), meanings)).toMatchObject({ reasons: ['gone'] })
    const conflict = await errorOf(
      failure(400, 'TransactionCanceledException', reasons('TransactionConflict')),
    )
    expect([isConflict(conflict), conditionFailureOf(conflict, meanings)]).toEqual([true, conflict])
  })

  it.each<[string, Answer]>([
    ['is throttled', failure(400, 'ThrottlingException')],
    ['fails inside AWS', failure(500, 'InternalServerError')],
    ['is answered by a proxy', response => response.writeHead(503).end('<html>Unavailable</html>')],
    ['is answered without JSON', response => response.end('{"Item":')],
    ['has no answer', response => response.destroy()],
    [
      'has half an answer',
      response => {
        response.setHeader('content-length', 100_000)
        response.write('{"Item":', () => response.destroy())
      },
    ],
  ])('says that a call may be tried again that %s', async (_, answer) => {
    const { result } = await server.play(answer)
    expect(isBusy(result)).toBe(true)
  })
})

describe('an item', () => {
  it('comes back as it was written', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n)
    const item = {
      pk: 'an item',
      sk: 'x',
      B: { B: 'text', S: bytes, list: [bytes, Buffer.from(bytes).subarray(5, 9), 'B', -0.5, null, true, {}] },
      text: 'ä 🚀 \u0000 "quoted"\n',
      most: Number.MAX_SAFE_INTEGER,
    }
    await world.table.write({ Put: { Item: { ...item, nothing: undefined } } })
    const { pk, sk } = item
    const read = await world.table.find({ pk, sk }, z.looseObject({}))
    expect(read).toEqual({ ...item, B: { ...item.B, S: expect.anything(), list: expect.anything() } })
    const stored = await world.dynamodb.send(
      new GetItemCommand({ TableName: world.tableName, Key: { pk: { S: pk }, sk: { S: sk } } }),
    )
    expect(toPlain(read)).toEqual(toPlain(unmarshall(stored.Item ?? {})))
    expect(toPlain(read)).toEqual(toPlain(item))
  })
})

/** Bytes in any class of arrays are equal. */
function toPlain(item: unknown): unknown {
  const plainBytes = (value: unknown) => (value instanceof Uint8Array ? [...value] : value)
  return JSON.parse(
    JSON.stringify(item, function (this: Record<string, unknown>, name) {
      return plainBytes(this[name])
    }),
  )
}
