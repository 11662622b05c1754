// Deliveries of three functions through two rotations of a secret, with clocks that the test moves.
import { expect, it } from 'vitest'
import { rotateSecret } from '../../shared/webhooks/commands/rotate-secret.ts'
import { batchOf } from '../world/queue.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { use } from '../world/use.ts'
import { unitOfWorkOn } from '../world/work.ts'
import { messageTo, SECRET, subscribe } from './subscriptions.ts'
import { isAccepted, signerOf } from './verify-delivery.ts'
import { environment, startWorkers } from './workers.ts'

const workers = use(startWorkers)

const HOUR_MS = 3_600_000

/** `from`: how many deliveries were received before the rotation. */
type Rotation = { secret: string; from: number; endsAt: number }

it('deliveries through two rotations are verified by receivers that switch at any moment of the overlaps', async () => {
  const receiver = await openSubscriber()
  const webhook = await subscribe(workers.table, receiver.url, { sinceMs: Date.now() - HOUR_MS })
  const functions = [0, 1, 2].map(() => workers.openFunction())
  let aheadMs = 0
  const advance = (ms: number): void => {
    aheadMs += ms
    for (const each of functions) each.advance(ms)
  }
  const deliver = async (): Promise<void> => {
    const batch = () => batchOf(...Array.from({ length: 7 }, () => messageTo([webhook])))
    for (const answer of await Promise.all(functions.map(each => each.deliverBatch(batch())))) {
      expect(answer).toEqual({ batchItemFailures: [] })
    }
  }
  const rotate = async (): Promise<Rotation> => {
    const work = unitOfWorkOn(workers.table, Date.now() + aheadMs)
    const ref = { ownerId: webhook.owner_id, id: webhook.id }
    const from = receiver.received.length
    const { secret, secret_rotation } = (await rotateSecret(work, environment, ref, 1)).answer.data
    return { secret, from, endsAt: Date.parse(secret_rotation?.ends_at ?? '') }
  }
  /** Deliveries begin to be signed immediately after the rotation, in the middle, and around the end. */
  const deliverAround = async (rotation: Rotation): Promise<void> => {
    await deliver()
    advance(HOUR_MS / 2)
    await deliver()
    for (const toEndMs of [-2_000, -1_000, 0, 30_000]) {
      advance(rotation.endsAt + toEndMs - (Date.now() + aheadMs))
      await deliver()
    }
  }

  await deliver()
  const first = await rotate()
  await deliverAround(first)
  const second = await rotate()
  await deliverAround(second)

  const secrets = [SECRET, first.secret, second.secret]
  const signed = receiver.received.map(({ body, headers }) => ({
    body,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  }))
  const timeOf = (n: number): number => Number(signed[n]?.headers['webhook-timestamp']) * 1000

  // The newest secret that a receiver needs, and the oldest with which it does: all in between are accepted.
  const refused = signed.flatMap((delivery, n) => {
    const newest = [second, first].find(({ from }) => n >= from)?.secret ?? SECRET
    const oldest = [second, first].find(({ endsAt }) => timeOf(n) >= endsAt)?.secret ?? SECRET
    const known = secrets.slice(secrets.indexOf(oldest), secrets.indexOf(newest) + 1)
    const isFine = known.every(secret => isAccepted(secret, delivery)) && signerOf(delivery, known) === oldest
    return isFine ? [] : [{ n, time: timeOf(n), newest, oldest }]
  })
  expect(refused).toEqual([])
  expect(signed).toHaveLength((1 + 2 * 6) * functions.length * 7)
})
