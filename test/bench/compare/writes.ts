// Times of publishing posts, and of the deliveries that follow to a receiver in this process.
import * as z from 'zod/mini'
import { mapConcurrently } from '../../../shared/table/concurrency.ts'
import { openServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { openTexts } from '../site.ts'
import { type Amounts, type DeliveryLoad, type Figures, medianOf } from './figures.ts'
import { type RunningService, secondsSince, send } from './service.ts'

const WRITERS = 8
/** What has not come after so long without a delivery is lost. */
const LOST_AFTER_MS = 60_000
const Created = z.object({ data: z.object({ id: z.int() }) })
const textOf = openTexts()

export async function publish(service: RunningService): Promise<number> {
  const body = { ...textOf(), is_published: true }
  return (await send(service, 'admin/posts', { method: 'POST', body })).ms
}

/** By one client, and by eight. */
export async function timePublishes(service: RunningService, { posts }: Amounts): Promise<Figures> {
  const times: number[] = []
  for (let n = 0; n < posts / 4; n++) times.push(await publish(service))
  const startedMs = performance.now()
  await publishMany(service, posts)
  return { 'publish.ms': medianOf(times), 'publish.rate': posts / secondsSince(startedMs) }
}

async function publishMany(service: RunningService, posts: number): Promise<void> {
  await mapConcurrently(Array(posts).keys(), WRITERS, async () => {
    await publish(service)
  })
}

/** Seconds until the last delivery. */
export async function timeDeliveries(service: RunningService, { few, many }: Amounts): Promise<Figures> {
  const [quick, long] = [await deliver(service, few), await deliver(service, many)]
  return { 'few.s': quick.seconds, 'many.s': long.seconds, 'many.twice': long.twice, 'many.lost': long.lost }
}

async function deliver(service: RunningService, { subscribers, posts }: DeliveryLoad) {
  const received = new Set<string>()
  let count = 0
  let lastMs = 0
  const { url, stop } = await openServer((request, response) => {
    request.resume().on('end', () => {
      count++
      lastMs = performance.now()
      received.add(`${request.url} ${request.headers['webhook-id']}`)
      response.writeHead(204).end()
    })
  })
  const ids: number[] = []
  await mapConcurrently(Array(subscribers).keys(), WRITERS, async n => {
    const body = { name: `Subscriber ${n}`, url: `${url}/${n}`, events: ['post.published'] }
    const { text } = await send(service, 'admin/webhooks', { method: 'POST', body })
    ids.push(Created.parse(JSON.parse(text)).data.id)
  })
  const startedMs = performance.now()
  await publishMany(service, posts)
  lastMs = Math.max(lastMs, startedMs)
  const isQuiet = () => performance.now() - lastMs > LOST_AFTER_MS
  await until(
    'all deliveries',
    () => received.size >= subscribers * posts || isQuiet(),
    Number.POSITIVE_INFINITY,
  )
  const seconds = (lastMs - startedMs) / 1000
  await mapConcurrently(ids, WRITERS, async id => {
    await send(service, `admin/webhooks/${id}`, { method: 'DELETE' })
  })
  await stop()
  return { seconds, twice: count - received.size, lost: subscribers * posts - received.size }
}
