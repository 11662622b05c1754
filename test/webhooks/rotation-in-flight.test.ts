// Deliveries that are sent during a rotation: the answer comes when its secret verifies all that arrive.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import type { Table } from '../../shared/table/client.ts'
import { rotateSecret } from '../../shared/webhooks/commands/rotate-secret.ts'
import { getWebhook } from '../../shared/webhooks/store/webhooks.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../world/queue.ts'
import { until } from '../world/until.ts'
import { use } from '../world/use.ts'
import { unitOfWorkOn } from '../world/work.ts'
import { messageTo, SECRET, subscribe } from './subscriptions.ts'
import { isAccepted, type Signed } from './verify-delivery.ts'
import { environment, startWorkers } from './workers.ts'

const workers = use(startWorkers)

/** A receiver that answers when it is told to. */
async function openGate() {
  const received: Signed[] = []
  const gate = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, v]) => [name, String(v)]))
    received.push({ body: await text(request), headers })
    await gate.promise
    response.end()
  }).listen(0, '127.0.0.1')
  await until('the receiver', () => server.listening)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, received, open: gate.resolve }
}

async function rotate(table: Table, { owner_id, id }: WebhookRecord): Promise<string> {
  const work = unitOfWorkOn(table, Date.now())
  return (await rotateSecret(work, environment, { ownerId: owner_id, id }, 1)).answer.data.secret
}

it('a rotation answers after the outcome of a delivery that the old secret alone has signed', async () => {
  const receiver = await openGate()
  const webhook = await subscribe(workers.table, receiver.url)
  const ended: string[] = []
  const delivering = workers.deliverBatch(batchOf(messageTo([webhook]))).then(() => ended.push('delivery'))
  await until('the delivery', () => receiver.received.length === 1)
  let looks = 0
  const query: Table['query'] = (...asked) => {
    looks++
    return workers.table.query(...asked)
  }
  const rotating = rotate({ ...workers.table, query }, webhook).then(secret => {
    ended.push('rotation')
    return secret
  })
  const ref = { ownerId: webhook.owner_id, id: webhook.id }
  const storedSecret = async () => (await getWebhook(workers.table, ref)).webhook.sealed_secret
  const old = webhook.sealed_secret
  await until('the new secret', async () => (await storedSecret()) !== old)
  const looked = looks
  await until('another look for deliveries', () => looks > looked + 1)
  expect(ended).toEqual([])
  receiver.open()
  const [secret] = await Promise.all([rotating, delivering])
  expect(ended).toEqual(['delivery', 'rotation'])
  const [first] = receiver.received
  expect(first && [SECRET, secret].map(each => isAccepted(each, first))).toEqual([true, false])
})

it('a delivery that is claimed after a rotation has both signatures, although it was read before', async () => {
  const receiver = await openGate()
  receiver.open()
  const webhook = await subscribe(workers.table, receiver.url)
  const gate = Promise.withResolvers<void>()
  let claims = 0
  const write: Table['write'] = async (...asked) => {
    claims++
    await gate.promise
    await workers.table.write(...asked)
  }
  const late = workers.openFunction({ write })
  const delivering = late.deliverBatch(batchOf(messageTo([webhook])))
  await until('the claim', () => claims === 1)
  const secret = await rotate(workers.table, webhook)
  gate.resolve()
  expect(await delivering).toEqual({ batchItemFailures: [] })
  const [first] = receiver.received
  expect(first && [SECRET, secret].map(each => isAccepted(each, first))).toEqual([true, true])
})
