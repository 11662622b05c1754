// Histories of changes while subscriptions come and go: no event is lost that a subscription wants, and a
// change whose event none wants leaves no message.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EVENTS } from '../../shared/events/catalogue.ts'
import type { Message } from '../../shared/events/message.ts'
import { countsOf, wantedCopies } from '../../shared/events/wanted.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import { subscribesTo, type WebhookRecord, wantedBy } from '../../shared/webhooks/webhook.ts'
import { useTable } from '../support/new-table.ts'
import { checkRandom } from '../support/property.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { change, remove, subscribe } from './subscriptions.ts'

const world = useTable()

const NAMES = ['post.published', 'post.updated', 'post.deleted'] as const
type Name = (typeof NAMES)[number]
const OWNER = 1
const TIME_MS = 3_000

/** A function with a memory of its own: a change that only fires an event, and returns the events it sent. */
function openFunction(beforeWrite: () => Promise<void> = async () => undefined) {
  const opened = openTable(world.client, world.tableName)
  const transact: Table['transact'] = async (actions, renew) => {
    await beforeWrite()
    await opened.transact(actions, renew)
  }
  const table = { ...opened, transact }
  return async (event: Name): Promise<string[]> => {
    const sent: string[] = []
    const send = async (messages: Message[]) => {
      for (const { body } of messages) if ('event' in body) sent.push(String(body.event))
      return messages.map(() => ({ ok: true }))
    }
    const events = [{ event, data: EVENTS[event].sample }]
    await unitOfWorkOn(table, Date.now(), { send }).commit({ actions: [], events })
    return sent
  }
}

function subscribeTo(events: (Name | '*')[]) {
  return subscribe(world.table, 'https://hook.example', { ownerId: OWNER, events })
}

async function outboxRows() {
  return (await world.dump()).filter(({ pk }) => pk.startsWith('OUTBOX#'))
}

describe('a change that fires an event', () => {
  it('sends it to a subscription that comes between its read and its write', async () => {
    const created: WebhookRecord[] = []
    const fire = openFunction(async () => {
      if (created.length === 0) created.push(await subscribeTo(['*']))
    })
    expect(await fire('post.deleted')).toEqual(['post.deleted'])
    for (const webhook of created) await remove(world.table, webhook)
  })

  it('costs two units for the condition, and no message', async () => {
    const fire = openFunction()
    await fire('post.published')
    const { used } = await world.measure(() => fire('post.published'))
    expect(used).toMatchObject({ writeUnits: 2, calls: 1 })
  })
})

const names = fc.subarray([...NAMES, '*' as const], { minLength: 1, maxLength: 2 })
const nth = fc.nat(50)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ subscribe: names }) },
  { weight: 2, arbitrary: fc.record({ nth, to: fc.record({ is_active: fc.boolean() }) }) },
  { weight: 1, arbitrary: fc.record({ nth, to: fc.record({ events: names }) }) },
  { weight: 3, arbitrary: fc.record({ remove: nth }) },
)
const fired = fc.record({ by: fc.nat(2), fire: fc.constantFrom(...NAMES) })
/** The steps of a round run side by side, each on a subscription of its own. */
const round = fc.record({
  steps: fc.array(step, { maxLength: 3 }),
  fired: fc.array(fired, { minLength: 1, maxLength: 4 }),
})
const history = fc.array(round, { minLength: 3, maxLength: 12 })

describe('changes while subscriptions come and go', () => {
  it('lose no event and, by a function without memory, send none in vain', () =>
    checkRandom(history, check, TIME_MS))
})

async function check(rounds: (typeof history extends fc.Arbitrary<infer T> ? T : never)[number][]) {
  const functions = [openFunction(), openFunction(), openFunction()]
  let all: WebhookRecord[] = []
  for (const { steps, fired } of rounds) {
    const before = all
    const touched = new Set<WebhookRecord>()
    const taken = steps.map(async (step): Promise<void> => {
      if ('subscribe' in step) {
        const webhook = await subscribeTo(step.subscribe)
        all = [...all, webhook]
        return
      }
      const free = before.filter(webhook => !touched.has(webhook))
      const webhook = free[('remove' in step ? step.remove : step.nth) % free.length]
      if (!webhook) return
      touched.add(webhook)
      if ('remove' in step) {
        await remove(world.table, webhook)
        all = all.filter(one => one !== webhook)
      } else {
        const changed = await change(world.table, webhook, step.to)
        all = all.map(one => (one === webhook ? changed : one))
      }
    })
    const outcomes = await Promise.all(
      fired.map(async ({ by, fire }) => ({ fire, sent: (await functions[by]?.(fire)) ?? [] })),
    )
    await Promise.all(taken)
    for (const { fire, sent } of outcomes) {
      const steady = before.filter(webhook => !touched.has(webhook))
      const isSure = steady.some(webhook => webhook.is_active && subscribesTo(webhook, fire))
      if (isSure) expect(sent).toEqual([fire])
    }
    for (const name of NAMES) {
      const isWanted = all.some(webhook => webhook.is_active && subscribesTo(webhook, name))
      expect(await openFunction()(name)).toEqual(isWanted ? [name] : [])
      for (const fire of isWanted ? functions : []) expect(await fire(name)).toEqual([name])
    }
  }
  const expected = countsOf(all.map(wantedBy))
  for (const { pk: _, sk: __, ...counts } of await world.table.findMany(wantedCopies({}))) {
    expect(Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))).toEqual(expected)
  }
  expect(await outboxRows()).toEqual([])
  for (const webhook of all) await remove(world.table, webhook)
}
