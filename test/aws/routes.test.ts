// Direct calls go where the SDK's calls go, with the credentials that it would use.
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SendMessageBatchCommand, type SQSClientConfig } from '@aws-sdk/client-sqs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openSqs } from '../../shared/events/sqs.ts'
import { connect, openDocuments } from '../../shared/table/connect.ts'
import { credentials, get, isOfSdk, openHandler, type Sent, twoCalls } from './answering-handler.ts'

afterEach(() => vi.unstubAllEnvs())

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
    const documents = openDocuments(client)
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
