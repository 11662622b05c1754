// Where calls of the queues go: an emulator or a VPC endpoint gets them all, whatever a queue's URL says.
import { CreateQueueCommand } from '@aws-sdk/client-sqs'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ACCOUNT_ID, clientSettings } from '../../infra/local/account.ts'
import { type Sqs, startSqs } from '../../infra/local/queues/fauxqs.ts'
import { openReceiver } from '../../shared/events/receiver.ts'
import { openSender } from '../../shared/events/sender.ts'
import { openSqs } from '../../shared/events/sqs.ts'

let sqs: Sqs
beforeAll(async () => {
  sqs = await startSqs()
})
afterAll(() => sqs.stop())
afterEach(() => vi.unstubAllEnvs())

/** Nobody is there: as on AWS, where the emulator's queue URLs name a host of its own network. */
const QUEUE_URL = `http://sqs.invalid:4566/${ACCOUNT_ID}/tidy`

describe('a client with an endpoint of its own', () => {
  it.each(['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_SQS'])(
    'sends to and takes from the one that %s names, and not the host in the URL of the queue',
    async name => {
      const { endpoint, credentials, region } = clientSettings(sqs.endpoint)
      // The SDK reads it as well, and would go to the host in the URL all the same.
      vi.stubEnv(name, endpoint)
      const client = openSqs(process.env, { credentials, region, maxAttempts: 1 })
      await client.send(new CreateQueueCommand({ QueueName: 'tidy' }))
      const sent = await openSender(client, () => QUEUE_URL).send([
        { queue: 'tidy', body: { kind: 'list', list: 'a list' } },
      ])
      expect(sent).toEqual([{ ok: true }])
      const receiver = openReceiver(client, QUEUE_URL)
      const taken = await receiver.receive(1)
      expect(taken).toHaveLength(1)
      for (const message of taken) await receiver.remove(message)
      expect(sqs.depth('tidy')).toMatchObject({ visible: 0, inFlight: 0 })
      client.destroy()
    },
  )
})
