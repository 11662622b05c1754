// A configured endpoint (an emulator or a VPC endpoint) gets all calls, whatever the URL of a queue is.
import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ACCOUNT_ID, clientSettings } from '../../infra/local/account.ts'
import { startSqs } from '../../infra/local/queues/fauxqs.ts'
import { openSender } from '../../shared/events/sender.ts'
import { openSqs } from '../../shared/events/sqs.ts'
import { use } from '../world/use.ts'

const sqs = use(startSqs)
afterEach(() => vi.unstubAllEnvs())

/** The host does not exist, as in a queue URL that is only valid inside another network. */
const QUEUE_URL = `http://sqs.invalid:4566/${ACCOUNT_ID}/tidy`

describe('openSqs with an endpoint', () => {
  it.each(['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_SQS'])(
    'sends and receives at the endpoint in %s and not at the host in the queue URL',
    async name => {
      const { endpoint, credentials, region } = clientSettings(sqs.endpoint)
      // The SDK reads it as well, but would still call the host in the URL.
      vi.stubEnv(name, endpoint)
      const client = openSqs(process.env, { credentials, region, maxAttempts: 1 })
      await client.send(new CreateQueueCommand({ QueueName: 'tidy' }))
      const sent = await openSender(client, () => QUEUE_URL, Date.now).send([
        { queue: 'tidy', body: { kind: 'list', list: 'a list' } },
      ])
      expect(sent).toEqual([{ ok: true }])
      const { Messages: [message] = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl: QUEUE_URL }),
      )
      const ReceiptHandle = message?.ReceiptHandle
      await client.send(new DeleteMessageCommand({ QueueUrl: QUEUE_URL, ReceiptHandle }))
      expect(sqs.depth('tidy')).toMatchObject({ visible: 0, inFlight: 0 })
      client.destroy()
    },
  )
})
