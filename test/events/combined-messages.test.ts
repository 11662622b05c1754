// Messages that only say that there is work: one stands for all of a second, and arrives after its end.
import { describe, expect, inject, it } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { startSqs } from '../../infra/local/queues/fauxqs.ts'
import { combinesSeconds, QUEUE_NAMES } from '../../shared/events/message.ts'
import { outboxOf } from '../../shared/events/outbox.ts'
import { openSender } from '../../shared/events/sender.ts'
import { openSqs } from '../../shared/events/sqs.ts'
import { indexMessage } from '../../shared/search/document.ts'
import { idOf, readTemplate } from '../shape/synthesized.ts'
import { interceptable } from '../world/interceptable.ts'
import { createQueues } from '../world/queue.ts'
import { use } from '../world/use.ts'
import { mail, NOW_MS } from './outbox-world.ts'

const sqs = use(startSqs)

describe('a queue whose messages are combined', () => {
  it('gets one message of all functions in a second, and one call of each, and others in the next', async () => {
    const client = interceptable(openSqs(clientSettings(sqs.endpoint)))
    const QueueName = 'index.fifo'
    await createQueues(sqs.endpoint, [QueueName])
    let calls = 0
    client.around(next => {
      calls++
      return next()
    })
    let nowMs = NOW_MS - (NOW_MS % 1_000)
    const [one, other] = [1, 2].map(() =>
      openSender(
        client,
        () => sqs.queueUrl(QueueName),
        () => nowMs,
      ),
    )
    for (const id of [1, 2, 3]) expect(await one?.send([indexMessage(id)])).toEqual([{ ok: true }])
    nowMs += 999
    expect(await one?.send([indexMessage(4)])).toEqual([{ ok: true }])
    expect(calls).toBe(1)
    expect(await other?.send([indexMessage(5)])).toEqual([{ ok: true }])
    expect([calls, sqs.depth(QueueName).visible]).toEqual([2, 1])
    nowMs += 1
    await one?.send([indexMessage(6)])
    expect([calls, sqs.depth(QueueName).visible]).toEqual([3, 2])
    client.destroy()
  })

  it('gets another message if it refused the first', async () => {
    const client = openSqs(clientSettings(sqs.endpoint))
    const QueueName = 'late.fifo'
    const sender = openSender(
      client,
      () => sqs.queueUrl(QueueName),
      () => NOW_MS,
    )
    expect(await sender.send([indexMessage(1)])).toMatchObject([{ ok: false }])
    await createQueues(sqs.endpoint, [QueueName])
    expect(await sender.send([indexMessage(2)])).toEqual([{ ok: true }])
    expect(sqs.depth(QueueName).visible).toBe(1)
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
