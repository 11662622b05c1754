// Messages that only say that there is work: one stands for all of a second, and arrives after its end.
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import { describe, expect, inject, it } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { startSqs } from '../../infra/local/queues/fauxqs.ts'
import { combinesSeconds, QUEUE_NAMES } from '../../shared/events/message.ts'
import { outboxOf } from '../../shared/events/outbox.ts'
import { openSender } from '../../shared/events/sender.ts'
import { indexMessage } from '../../shared/search/document.ts'
import { idOf, readTemplate } from '../shape/synthesized.ts'
import { use } from '../world/use.ts'
import { mail, NOW_MS } from './outbox-world.ts'

const sqs = use(startSqs)

describe('a queue whose messages are combined', () => {
  it('gets one message for all that are sent in a second, and another one for the next second', async () => {
    const client = new SQSClient(clientSettings(sqs.endpoint))
    const QueueName = 'index.fifo'
    await client.send(new CreateQueueCommand({ QueueName, Attributes: { FifoQueue: 'true' } }))
    let nowMs = NOW_MS - (NOW_MS % 1_000)
    const sender = openSender(
      client,
      () => sqs.queueUrl(QueueName),
      () => nowMs,
    )
    for (const id of [1, 2, 3]) expect(await sender.send([indexMessage(id)])).toEqual([{ ok: true }])
    nowMs += 999
    await sender.send([indexMessage(4)])
    expect(sqs.depth(QueueName).visible).toBe(1)
    nowMs += 1
    await sender.send([indexMessage(5)])
    expect(sqs.depth(QueueName).visible).toBe(2)
    client.destroy()
  })

  it('has no outbox rows', () => {
    const { rows, combined } = outboxOf([mail(1), indexMessage(2)], NOW_MS)
    expect(rows.map(({ queue }) => queue)).toEqual(['mail'])
    expect(combined).toEqual([indexMessage(2)])
  })

  it('delays its messages by a second more than it combines them, and no other queue of work does', () => {
    const queues = readTemplate(inject('assembly')).of('AWS::SQS::Queue')
    for (const name of QUEUE_NAMES) {
      const queue = queues.find(({ id }) => id.toLowerCase().startsWith(`${idOf(name)}queue`))
      const seconds = combinesSeconds(name)
      expect([name, queue?.properties.DelaySeconds]).toEqual([name, seconds > 0 ? seconds + 1 : undefined])
    }
  })
})
