// Direct calls go where the SDK's calls go, with the credentials, the time and the trace that it would use.
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SendMessageBatchCommand, type SQSClientConfig } from '@aws-sdk/client-sqs'
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openSqs } from '../../shared/events/sqs.ts'
import { connect } from '../../shared/table/connect.ts'

afterEach(() => vi.unstubAllEnvs())

type Sent = {
  protocol: string
  hostname: string
  port?: number
  path: string
  headers: Record<string, string>
}

/** A handler that answers everything with `{}` and keeps the requests. */
function openHandler(answerHeaders: (request: Sent) => Record<string, string> = () => ({})) {
  const requests: Sent[] = []
  const handle = async (request: Sent) => {
    requests.push(request)
    const { Readable } = await import('node:stream')
    const body = Readable.from([Buffer.from('{}')], { objectMode: false })
    return { response: { statusCode: 200, headers: answerHeaders(request), body } }
  }
  return { requests, handle }
}

const credentials = { accessKeyId: 'AKID', secretAccessKey: 'a secret' }
function get() {
  return new GetCommand({ TableName: 'a table', Key: { pk: 'a' } })
}

/** The first call, which the SDK does, and a second. */
async function twoCalls(settings: DynamoDBClientConfig, call = get) {
  const handler = openHandler()
  const client = connect({ region: 'eu-west-1', credentials, ...settings, requestHandler: handler as never })
  await client.send(call())
  await client.send(call())
  return handler.requests
}

function isOfSdk({ headers }: Sent): boolean {
  return headers['amz-sdk-invocation-id'] !== undefined
}

function addressOf({ protocol, hostname, port, path, headers }: Sent) {
  const [, scope] = /Credential=[^/]+\/\d+\/([^,]+),/.exec(headers.authorization ?? '') ?? []
  return { protocol, hostname, port, path, host: headers.host, scope }
}

describe('a direct call', () => {
  it.each<[string, DynamoDBClientConfig, Record<string, string>, string]>([
    ['a region', {}, {}, 'dynamodb.eu-west-1.amazonaws.com'],
    ['a region of China', { region: 'cn-north-1' }, {}, 'dynamodb.cn-north-1.amazonaws.com.cn'],
    ['FIPS', { region: 'us-east-1', useFipsEndpoint: true }, {}, 'dynamodb-fips.us-east-1.amazonaws.com'],
    ['two stacks', { useDualstackEndpoint: true }, {}, 'dynamodb.eu-west-1.api.aws'],
    [
      'the endpoint of an account',
      { credentials: { ...credentials, accountId: '123456789012' } },
      {},
      '123456789012.ddb.eu-west-1.amazonaws.com',
    ],
    ['an endpoint', { endpoint: 'http://vpce.example:8080' }, {}, 'vpce.example:8080'],
    ['AWS_ENDPOINT_URL', {}, { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' }, '127.0.0.1:4566'],
    ['AWS_ENDPOINT_URL_DYNAMODB', {}, { AWS_ENDPOINT_URL_DYNAMODB: 'https://[::1]:1' }, '[::1]:1'],
  ])('goes where the SDK goes with %s', async (_name, settings, variables, host) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    const [bySdk, direct] = await twoCalls(settings)
    expect(bySdk?.headers.host).toBe(host)
    expect(bySdk && addressOf(bySdk)).toEqual(direct && addressOf(direct))
    expect([bySdk && isOfSdk(bySdk), direct && isOfSdk(direct)]).toEqual([true, false])
    expect(direct?.headers['user-agent']).toBe(bySdk?.headers['user-agent'])
  })

  it.each<[string, DynamoDBClientConfig, Record<string, string>]>([
    ['an endpoint with a path', { endpoint: 'http://127.0.0.1:4566/a/path' }, {}],
    ['the adaptive mode of retries', { retryMode: 'adaptive' }, {}],
    ['no correction of the clock', { disableClockSkewCorrection: true }, {}],
  ])('is left to the SDK with %s', async (_name, settings, variables) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    expect((await twoCalls(settings)).map(isOfSdk)).toEqual([true, true])
  })

  it('is left to the SDK if a step adds a header that we do not know', async () => {
    const handler = openHandler()
    const client = new DynamoDBClient({ region: 'eu-west-1', credentials, requestHandler: handler as never })
    client.middlewareStack.add(
      next => args => {
        const { headers } = Object(args).request
        headers['x-a-header'] = 'of a step'
        return next(args)
      },
      { step: 'build' },
    )
    const { sendDirectly } = await import('../../shared/aws/direct.ts')
    const { TABLE_CALLS } = await import('../../shared/table/direct-calls.ts')
    const documents = sendDirectly(DynamoDBDocumentClient.from(client), TABLE_CALLS)
    await documents.send(get())
    await documents.send(get())
    expect(handler.requests.map(isOfSdk)).toEqual([true, true])
  })

  it('goes to the host in the URL of each queue, unless an endpoint is configured', async () => {
    const hosts = async (endpoint?: string) => {
      const handler = openHandler()
      const settings: SQSClientConfig = { region: 'eu-west-1', credentials, requestHandler: handler as never }
      const client = openSqs({ AWS_ENDPOINT_URL_SQS: endpoint }, settings)
      for (const n of [1, 1, 2, 2, 1]) {
        const QueueUrl = `https://host-${n}.example/000000000000/a-queue`
        await client.send(new SendMessageBatchCommand({ QueueUrl, Entries: [] }))
      }
      const { requests } = handler
      expect(requests.map(isOfSdk)).toEqual([true, false, true, false, false])
      return requests.map(({ headers }) => headers.host)
    }
    vi.spyOn(console, 'warn').mockReturnValue()
    const [one, two] = ['host-1.example', 'host-2.example']
    expect(await hosts()).toEqual([one, one, two, two, one])
    expect(await hosts('http://vpce.example')).toEqual(Array(5).fill('vpce.example'))
    vi.restoreAllMocks()
  })

  it('renews credentials before they expire, and leaves their failure to the SDK', async () => {
    let renewals = 0
    const provider = async () => {
      if (renewals === 3) throw new Error('No credentials.')
      const expiration = new Date(Date.now() + (renewals < 2 ? 1_000 : 3_600_000))
      return { accessKeyId: `AKID${++renewals}`, secretAccessKey: `secret ${renewals}`, expiration }
    }
    const handler = openHandler()
    const client = connect({ region: 'eu-west-1', credentials: provider, requestHandler: handler as never })
    for (let n = 0; n < 4; n++) await client.send(get())
    const ids = handler.requests.map(
      ({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1],
    )
    expect(ids.at(-1)).toBe('AKID3')
    renewals = 3
    vi.useFakeTimers({ now: Date.now() + 7_200_000, toFake: ['Date'] })
    await expect(client.send(get())).rejects.toThrow('No credentials.')
    vi.useRealTimers()
  })
})

describe('the clock of signatures', () => {
  const signedMs = ({ headers }: Sent) =>
    Date.parse(
      String(headers['x-amz-date']).replace(
        /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
        '$1-$2-$3T$4:$5:$6Z',
      ),
    )

  it.each([-2, 0, 3])('follows the clock of AWS, which is %i hours ahead', async hours => {
    const aheadMs = hours * 3_600_000
    const handler = openHandler(() => ({ date: new Date(Date.now() + aheadMs).toUTCString() }))
    const client = connect({ region: 'eu-west-1', credentials, requestHandler: handler as never })
    for (let n = 0; n < 3; n++) await client.send(get())
    expect(handler.requests.map(isOfSdk)).toEqual([true, false, false])
    for (const request of handler.requests.slice(1)) {
      expect(Math.abs(signedMs(request) - Date.now() - aheadMs)).toBeLessThan(60_000)
    }
  })

  it('follows a jump of the clock during direct calls, but no answer that a cache has kept', async () => {
    let aheadMs = 0
    let age: string | undefined
    const handler = openHandler(() => ({
      date: new Date(Date.now() + aheadMs).toUTCString(),
      ...(age && { age }),
    }))
    const client = connect({ region: 'eu-west-1', credentials, requestHandler: handler as never })
    const offsets = []
    for (const [ms, kept] of [[0], [7_200_000], [0, '10'], [0]] as [number, string?][]) {
      aheadMs = ms
      age = kept
      await client.send(get())
      offsets.push(Math.round(client.config.systemClockOffset / 3_600_000))
    }
    expect(offsets.map(Math.abs)).toEqual([0, 2, 2, 0])
  })
})

describe('the trace of an invocation', () => {
  const trace = { traceparent: '00-aa-bb-01', tracestate: 'a=b', baggage: 'c=d' }
  const store = {
    getXRayTraceId: () => 'Root=1-of-the-store',
    getTraceparent: () => trace.traceparent,
    getTracestate: () => trace.tracestate,
    getBaggage: () => trace.baggage,
  }

  it('is sent as by the SDK, from the environment and from the runtime', async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'a-function')
    vi.stubEnv('_X_AMZN_TRACE_ID', 'Root=1-of-the-environment')
    const tracesOf = async () =>
      (await twoCalls({})).map(({ headers }) => {
        const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
        const { 'x-amzn-trace-id': id, traceparent, tracestate, baggage } = Object.fromEntries(lower)
        return { id, traceparent, tracestate, baggage }
      })
    const [bySdk, direct] = await tracesOf()
    expect(bySdk?.id).toBe('Root=1-of-the-environment')
    expect(direct).toEqual(bySdk)
    // Lambda's runtime and the SDK share it.
    const { InvokeStore } = Object(globalThis).awslambda
    Object.assign(InvokeStore, store)
    const [bySdkThen, directThen] = await tracesOf()
    for (const name of Object.keys(store)) delete InvokeStore[name]
    expect(bySdkThen).toEqual({ id: 'Root=1-of-the-store', ...trace })
    expect(directThen).toEqual(bySdkThen)
  })

  it('changes with each invocation', async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'a-function')
    const handler = openHandler()
    const client = connect({ region: 'eu-west-1', credentials, requestHandler: handler as never })
    for (const id of ['1', '2', '3']) {
      vi.stubEnv('_X_AMZN_TRACE_ID', id)
      await client.send(get())
    }
    const ids = handler.requests.map(
      ({ headers }) => headers['x-amzn-trace-id'] ?? headers['X-Amzn-Trace-Id'],
    )
    expect(ids).toEqual(['1', '2', '3'])
  })
})
