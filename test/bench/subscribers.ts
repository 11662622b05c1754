// Counts what events cost with 1,000 subscribers: calls, units and CPU a delivery. Measures if one in ten
// that never answers delays the others. Run: npm run bench:subscribers -- [subscribers] [events]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { newToken } from '../../shared/accounts/commands/tokens.ts'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { EVENTS } from '../../shared/events/catalogue.ts'
import { newEventId } from '../../shared/events/event-id.ts'
import type { EventMessage, Message } from '../../shared/events/message.ts'
import { isoTime } from '../../shared/http/time.ts'
import { openJobContext } from '../../shared/lambda/job-context.ts'
import { readEnvironment } from '../../shared/runtime/environment.ts'
import type { Table } from '../../shared/table/client.ts'
import { mapConcurrently } from '../../shared/table/concurrency.ts'
import { nextId } from '../../shared/table/next-id.ts'
import { deliver } from '../../shared/webhooks/commands/deliver.ts'
import { fanOut } from '../../shared/webhooks/commands/fan-out.ts'
import { addWebhook, changeWebhook } from '../../shared/webhooks/commands/webhooks.ts'
import { sealSecret } from '../../shared/webhooks/secret.ts'
import { newWebhook, type WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { startTable } from '../world/table.ts'
import type { Usage } from '../world/usage.ts'
import { unitOfWorkOn } from '../world/work.ts'

const [subscribers = 1_000, events = 100] = process.argv.slice(2).map(Number)
const WEBHOOKS_AN_OWNER = 100
/** One in so many hangs. */
const HANGING = 10

const environment = readEnvironment({
  TABLE_NAME: 'bench',
  SITE_URL: 'https://site.example',
  WEBHOOK_KEY: 'the key of webhook secrets',
  ALLOW_LOOPBACK_WEBHOOKS: 'true',
})

const { table, measure, stop } = await startTable()
const receiver = spawn(
  process.execPath,
  [fileURLToPath(new URL('subscribers-receiver.ts', import.meta.url))],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
const [port] = await once(receiver.stdout.setEncoding('utf8'), 'data')
function url(path: string): string {
  return `http://127.0.0.1:${Number(port)}/${path}`
}

const sinceMs = Date.now() - 60_000

async function createOwner(n: number): Promise<number> {
  const owner = { name: 'Owner', email: `owner${n}@example.com`, email_verified: true, password_hash: null }
  const { id } = await createUser(table, owner, Math.floor(sinceMs / 1000))
  const draft = { user_id: id, name: 'bench', abilities: ['admin' as const] }
  const { action } = await newToken(table, draft, Math.floor(sinceMs / 1000))
  await table.transact([action])
  return id
}

async function subscribe(ownerId: number): Promise<WebhookRecord> {
  const id = await nextId(table, 'webhook')
  const sealedSecret = sealSecret(environment, id, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  const input = { name: 'Bench', url: url('quick'), events: ['*' as const] }
  const webhook = newWebhook(input, { id, ownerId, sealedSecret, nowMs: sinceMs })
  await addWebhook(unitOfWorkOn(table, sinceMs), webhook, { data: {} })
  return webhook
}

const webhooks: WebhookRecord[] = []
for (let n = 0; n * WEBHOOKS_AN_OWNER < subscribers; n++) {
  const ownerId = await createOwner(n)
  const count = Math.min(WEBHOOKS_AN_OWNER, subscribers - n * WEBHOOKS_AN_OWNER)
  await mapConcurrently(Array(count).keys(), 4, async () => {
    webhooks.push(await subscribe(ownerId))
  })
}

function newEvent(): EventMessage {
  const happened_ms = Date.now()
  return {
    kind: 'event',
    id: newEventId(happened_ms),
    event: 'post.published',
    occurred_at: isoTime(Math.floor(happened_ms / 1000)),
    happened_ms,
    request_id: 'bench',
    data: EVENTS['post.published'].sample,
  }
}

type Cost = Usage & { cpuMs: number; ms: number }

/** What `run` costs this process, in which only the functions run. */
async function costOf(run: () => Promise<void>): Promise<Cost> {
  const [cpu, startedMs] = [process.cpuUsage(), performance.now()]
  const { used } = await measure(run)
  const { user, system } = process.cpuUsage(cpu)
  return { ...used, cpuMs: (user + system) / 1000, ms: performance.now() - startedMs }
}

type Delivered = { webhookId: number; afterMs: number }

/** One run of deliver-webhooks over all messages, and when each delivery ended. */
async function deliverAll(own: Table, messages: Message<'deliveries'>[]): Promise<Delivered[]> {
  const delivered: Delivered[] = []
  const startedMs = performance.now()
  const log = (_level: string, _message: string, details: Record<string, unknown> = {}) => {
    delivered.push({ webhookId: Number(details.webhook_id), afterMs: performance.now() - startedMs })
  }
  const sender = { send: async (all: Message[]) => all.map(() => ({ ok: true })) }
  const runtime = { environment, table: own, sender, clock: Date.now, log }
  await Promise.all(
    messages.map(({ body }) =>
      deliver(body, openJobContext(Object.assign(Object.create(runtime), runtime), 'bench')),
    ),
  )
  return delivered
}

function line(name: string, { calls, readUnits, writeUnits, cpuMs, ms }: Cost, count: number): string {
  const each = [calls, readUnits, writeUnits, cpuMs].map(total => (total / count).toFixed(3))
  return `| ${[name, count, ...each, ms.toFixed(0)].join(' | ')} |`
}

async function measureRound(name: string): Promise<number[]> {
  const messages: Message<'deliveries'>[] = []
  const send = async (all: Message[]) => {
    for (const message of all) if (message.queue === 'deliveries') messages.push(message)
    return all.map(() => ({ ok: true }))
  }
  const fanningOut = await costOf(async () => {
    for (let n = 0; n < events; n++) {
      await fanOut(newEvent(), { table, sender: { send }, nowMs: Date.now() })
    }
  })
  console.info(line(`fan-out of an event, ${name}`, fanningOut, events))
  let delivered: Delivered[] = []
  const delivering = await costOf(async () => {
    delivered = await deliverAll(table, messages)
  })
  console.info(line(`a delivery, ${name}`, delivering, delivered.length))
  const hanging = new Set(webhooks.slice(0, subscribers / HANGING).map(({ id }) => id))
  return delivered
    .filter(({ webhookId }) => !hanging.has(webhookId))
    .map(({ afterMs }) => afterMs)
    .toSorted((a, b) => a - b)
}

console.info(
  '| what | count | calls | units read | units written | CPU ms | ms in all |\n|---|---|---|---|---|---|---|',
)
await measureRound('first')
const baseline = await measureRound('all answer')
for (const { owner_id: ownerId, id } of webhooks.slice(0, subscribers / HANGING)) {
  await changeWebhook(unitOfWorkOn(table), { ownerId, id }, webhook => ({ ...webhook, url: url('hang') }))
}
const loaded = await measureRound('one in ten hangs')
function at(all: number[], share: number): number {
  return all[Math.floor((all.length - 1) * share)] ?? 0
}

for (const share of [0.5, 0.99, 1]) {
  const [before, after] = [at(baseline, share), at(loaded, share)]
  console.info(
    `p${share * 100} of the others: ${before.toFixed(0)} ms, with one in ten hanging ${after.toFixed(0)} ms, ratio ${(after / before).toFixed(2)}`,
  )
}
receiver.kill()
await stop()
process.exit(0)
