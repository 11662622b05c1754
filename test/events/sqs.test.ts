// Messages go to the endpoint of the client and not to the host in the URL of their queue.
import { expect, it } from 'vitest'
import { ACCOUNT_ID, clientSettings } from '../../infra/local/account.ts'
import { openSender, openSqs } from '../../shared/events/sqs.ts'
import { createQueues } from '../support/queue.ts'
import { startSqs } from '../support/sqs.ts'
import { use } from '../support/use.ts'

const sqs = use(startSqs)

/** The host does not exist, as in a queue URL that is only valid inside another network. */
const QUEUE_URL = `http://sqs.invalid:4566/${ACCOUNT_ID}/jobs`

it('sends, receives and deletes at the endpoint of the client', async () => {
  const client = openSqs(clientSettings(sqs.endpoint))
  await createQueues(sqs.endpoint, ['jobs'])
  const sent = await openSender(client, () => QUEUE_URL, Date.now).send([
    { queue: 'jobs', body: { kind: 'list', list: 'a list' } },
  ])
  expect(sent).toEqual([{ ok: true }])
  const { Messages: [message] = [] } = await client.call('ReceiveMessage', { QueueUrl: QUEUE_URL })
  await client.call('DeleteMessage', { QueueUrl: QUEUE_URL, ReceiptHandle: message?.ReceiptHandle })
  expect(sqs.depth('jobs')).toMatchObject({ visible: 0, inFlight: 0 })
  client.destroy()
})
