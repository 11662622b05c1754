// The fault that each alarm is for.
import { capitalized } from '../../infra/names.ts'
import { QUEUE_NAMES, type QueueName } from '../../shared/events/message.ts'
import { outboxRow } from '../../shared/events/outbox.ts'
import { addingMarkerKey, scheduledKey } from '../../shared/table/design.ts'
import { until } from '../world/until.ts'
import type { AlarmWorld, Matches } from './alarm-world.ts'

type Plant = (world: AlarmWorld) => Promise<unknown>

function isOf(functionName: string, { limit = false } = {}): Matches {
  return ({ accessKeyId, service, body }) =>
    service === 'dynamodb' && accessKeyId.startsWith(functionName) && body.includes('LIMIT#') === limit
}

const WRONG = [400, 'ValidationException'] satisfies [number, string]
/** More than the alarms of the table allow in a minute. */
const MANY = 12

/** Each request is counted by one call, which fails once. */
async function readWhile(world: AlarmWorld, fault: [number, string]) {
  world.fail(isOf('categories', { limit: true }), fault, { every: 2 })
  for (let n = 0; n < MANY; n++) await world.readCategories()
}

/** A message that its worker cannot read stays in the queue. */
function late(queue: QueueName, seconds: number, body: unknown = {}): [string, Plant] {
  return [
    `${queue}-late`,
    async world => {
      await world.send(`${capitalized(queue)}Queue`, body)
      await until('the message to be in the queue', () => world.isWaiting(`${capitalized(queue)}Queue`))
      world.setAhead(seconds + 1)
      await world.sweep()
    },
  ]
}

function dead(queue: QueueName): [string, Plant] {
  return [`${queue}-dead-letters`, world => world.send(`${capitalized(queue)}DeadLetters`)]
}

/** In milliseconds. */
function ago(seconds: number): number {
  return Date.now() - seconds * 1000
}

export const PLANTS: Record<string, Plant> = {
  'server-errors': async world => {
    world.fail(isOf('categories'), WRONG)
    await world.readCategories()
  },
  'slow-reads': async world => {
    world.delay(isOf('categories'), 2_200)
    await world.readCategories()
  },
  'slow-writes': async world => {
    world.delay(isOf('admincategories'), 1_500)
    await world.createCategory()
  },
  'limiter-open': async world => {
    world.fail(isOf('categories', { limit: true }), WRONG)
    await world.readCategories()
  },
  // A run of the background, because a request would get 503.
  'functions-throttled': async world => {
    world.setQuota(0)
    await world.sweep().catch(() => undefined)
  },
  concurrency: async world => {
    await until('no other function to run', () => world.world.isIdle())
    world.setQuota(1)
    await world.sweep()
  },
  bounces: world => world.sendMail('bounces'),
  complaints: world => world.sendMail('complains'),
  'table-throttled': world => readWhile(world, [400, 'ThrottlingException']),
  'table-fails': world => readWhile(world, [500, 'InternalServerError']),
  ...Object.fromEntries([
    late('events', 300),
    late('deliveries', 600),
    late('tidy', 1_800),
    late('mail', 900),
    late('index', 600),
    late('bounces', 900, { Message: JSON.stringify({ eventType: 'Bounce' }) }),
    ...QUEUE_NAMES.map(dead),
  ]),
  'sweep-fails': async world => {
    world.fail(isOf('sweep'), WRONG)
    await world.sweep().catch(() => undefined)
  },
  'sweep-missing': async world => {
    await world.sweep()
    world.setAhead(301)
  },
  'outbox-left': async world => {
    world.fail(
      ({ service, accessKeyId }) => service === 'sqs' && accessKeyId.startsWith('sweep'),
      [403, 'AccessDenied'],
    )
    const message = { queue: 'tidy' as const, body: { kind: 'list' as const, list: 'list-1' } }
    await world.put([outboxRow(message, ago(200))])
    await world.sweep()
  },
  'schedules-late': async world => {
    world.fail(isOf('fanout'), WRONG)
    const posted_at = Math.floor(ago(200) / 1000)
    const post = {
      id: 1,
      title: 'Late',
      is_published: true,
      posted_at,
      content_type: 'post',
      category_ids: [],
    }
    await world.put([{ ...scheduledKey(posted_at, 1), ...post }])
    await world.sweep()
  },
  'index-lag': async world => {
    world.fail(isOf('indexsearch'), WRONG)
    const markers = Array.from({ length: 1_001 }, (_, n) => addingMarkerKey(Date.now(), n + 1, 1))
    await world.put(markers)
    await world.sweep()
  },
}
