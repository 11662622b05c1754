// The command that sends dead letters again: each once if all goes well, and none is lost if not.
import { describe, expect, it } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { moveDeadLetters } from '../../infra/operator/commands/redrive.ts'
import type { EventMessage } from '../../shared/events/message.ts'
import { openSqs } from '../../shared/events/sqs.ts'
import { interceptable } from '../support/interceptable.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { useWorld } from '../support/world.ts'
import { operatorOn } from './operator-world.ts'

const world = useWorld()
const operator = operatorOn(world)

function client() {
  return openSqs(clientSettings(world.sqsEndpoint))
}

async function addDeadLetters(queue: string, bodies: string[]) {
  for (let n = 0; n < bodies.length; n += 10) {
    await client().call('SendMessageBatch', {
      QueueUrl: world.queueUrl(queue),
      Entries: bodies.slice(n, n + 10).map((MessageBody, m) => ({ Id: String(m), MessageBody })),
    })
  }
}

function event(n: number): EventMessage {
  return {
    kind: 'event',
    id: `evt_${n}`,
    event: 'newsletter.subscribed',
    occurred_at: '2026-05-26T15:00:00+00:00',
    happened_ms: Date.now() + 1_000,
    request_id: 'test',
    data: { id: n, url: 'https://example.com', email: `${n}@example.com` },
  }
}

describe('redrive', () => {
  it('sends the dead letters of a queue again, which then reach their subscriber', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url)
    const numbers = Array.from({ length: 23 }, (_, n) => n + 1)
    const messages = numbers.map(n => JSON.stringify(event(n)))
    await addDeadLetters('EventsDeadLetters', messages)
    expect(await operator.json(['redrive', 'events'])).toEqual([{ queue: 'events', moved: 23, refused: 0 }])
    await subscriber.waitFor(23)
    const received = subscriber.received.map(({ data }) => data.id).sort((a, b) => Number(a) - Number(b))
    expect(received).toEqual(numbers)
    expect(world.queueDepth('EventsDeadLetters')).toMatchObject({ visible: 0, inFlight: 0 })
  })

  it('redrives all queues, and prints the number of messages of each', async () => {
    await addDeadLetters('JobsDeadLetters', [JSON.stringify({ kind: 'list', list: 'category:0' })])
    expect((await operator.run(['redrive'])).out).toBe(
      'events: 0 sent again.\ndeliveries: 0 sent again.\nindex: 0 sent again.\njobs: 1 sent again.\n',
    )
  })

  it('keeps a message in both queues if it is interrupted between sending and deleting', async () => {
    await addDeadLetters('JobsDeadLetters', [JSON.stringify({ kind: 'list', list: 'category:1' })])
    const interrupted = interceptable(client())
    let sent = 0
    interrupted.around(async (next, operation) => {
      if (operation === 'SendMessageBatch') sent++
      if (operation === 'DeleteMessageBatch') throw new Error('Interrupted.')
      return await next()
    })
    const urls = { url: world.queueUrl('JobsQueue'), deadLettersUrl: world.queueUrl('JobsDeadLetters') }
    await expect(moveDeadLetters(interrupted, urls, () => undefined)).rejects.toThrow('Interrupted.')
    expect(sent).toBe(1)
    expect(world.queueDepth('JobsDeadLetters')).toMatchObject({ visible: 0, inFlight: 1 })
  })

  it('keeps a message among the dead letters if its queue refuses it', async () => {
    await addDeadLetters('DeliveriesDeadLetters', ['a message'])
    const full = interceptable(client())
    full.around(async (next, operation) => {
      const result = await next()
      return operation === 'SendMessageBatch' ? { Successful: [], Failed: [] } : result
    })
    const urls = {
      url: world.queueUrl('DeliveriesQueue'),
      deadLettersUrl: world.queueUrl('DeliveriesDeadLetters'),
    }
    expect(await moveDeadLetters(full, urls, () => undefined)).toEqual({ moved: 0, refused: 1 })
    expect(world.queueDepth('DeliveriesDeadLetters')).toMatchObject({ inFlight: 1 })
  })
})
