// A direct call of a queue fails, and is retried, as a call of the SDK is.
import { setTimeout as pause } from 'node:timers/promises'
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import { describe, expect, it } from 'vitest'
import { until } from '../world/until.ts'
import { use } from '../world/use.ts'
import { isOfSdk, openBothClients, type Played } from './both-clients.ts'
import { outcomeOf } from './outcomes.ts'

const clients = use(openBothClients)

describe('a direct call of a queue', () => {
  const command = () =>
    new SendMessageBatchCommand({ QueueUrl: clients.QueueUrl, Entries: [{ Id: '0', MessageBody: 'a' }] })
  const sqsFailure = (status: number, type: string, headers = {}): Played => ({
    status,
    headers,
    body: JSON.stringify({ __type: `com.amazonaws.sqs#${type}`, message: 'of this test' }),
  })

  it.each<[string, Played[]]>([
    ['one failure', [sqsFailure(500, 'InternalFailure'), {}]],
    ['two failures', [sqsFailure(503, 'ServiceUnavailable'), 'closes', {}]],
    ['a throttling', [sqsFailure(400, 'ThrottlingException'), {}]],
    ['an answer that breaks off', [{ body: '{"Successful":[]}', breaks: true }, {}]],
    ['three failures', [sqsFailure(500, 'InternalFailure')]],
    ['closed connections', ['closes']],
    [
      'a missing queue',
      [
        sqsFailure(400, 'QueueDoesNotExist', {
          'x-amzn-query-error': 'AWS.SimpleQueueService.NonExistentQueue;Sender',
        }),
      ],
    ],
    ['an invalid request', [sqsFailure(400, 'InvalidAttributeValue')]],
    ['a wrong checksum', [{ body: '{"Successful":[{"Id":"0","MD5OfMessageBody":"wrong"}]}' }]],
  ])('is retried, and fails at the end, as with the SDK after %s', async (_name, played) => {
    const stock = clients.openStockQueues()
    const direct = await clients.openDirectQueues()
    clients.play(...played)
    const expected = await outcomeOf(clients.requests, () => stock.send(command()))
    clients.play(...played)
    const outcome = await outcomeOf(clients.requests, () => direct.send(command()))
    // The pauses between attempts are random.
    expect(withoutDelays(outcome)).toEqual(withoutDelays(expected))
    expect(clients.requests.map(isOfSdk)).toEqual(expected.requests.map((_request, n) => n > 0))
  })

  it('is aborted by a signal as with the SDK, and not repeated', async () => {
    const stock = clients.openStockQueues()
    const direct = await clients.openDirectQueues()
    const send = async (client: typeof stock) => {
      const abort = new AbortController()
      const sent = client.send(command(), { abortSignal: abort.signal })
      await until('the request', () => clients.requests.length > 0)
      abort.abort()
      return await sent
    }
    clients.play('hangs')
    const expected = await outcomeOf(clients.requests, () => send(stock))
    expect(expected).toMatchObject({ name: 'AbortError' })
    clients.play('hangs')
    expect(await outcomeOf(clients.requests, () => send(direct))).toEqual(expected)
    await pause(300)
    expect(clients.requests).toHaveLength(1)
  })

  it('refills the quota of retries as with the SDK', async () => {
    const stock = clients.openStockQueues()
    const direct = await clients.openDirectQueues()
    const capacities = []
    for (const client of [stock, direct]) {
      clients.play(sqsFailure(500, 'InternalFailure'))
      await client.send(command()).catch(() => undefined)
      clients.play({})
      for (let n = 0; n < 3; n++) await client.send(command())
      capacities.push(Reflect.get(await client.config.retryStrategy(), 'capacity'))
    }
    expect(capacities[1]).toBe(capacities[0])
    expect(capacities[0]).toBeLessThan(500)
  })
})

function withoutDelays(outcome: object) {
  return JSON.parse(
    JSON.stringify(outcome, (name, value) => (name === 'totalRetryDelay' ? value >= 0 : value)),
  )
}
