// Makes every endpoint fire every event that it declares: a declared event without a case fails.
import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../support/endpoints.ts'
import { openFullChain } from '../support/full-chain.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { use } from '../support/use.ts'
import { EVENT_CASES, type EventCase } from './event-cases.ts'
import { openEventRecords, PRIVATE_KEY } from './event-records.ts'

const chain = use(() => openFullChain({ ALLOW_LOOPBACK_WEBHOOKS: 'true', PRIVATE_KEY }))
const records = openEventRecords(chain)

const DECLARED = ENDPOINTS.flatMap(({ name, endpoint: { emits } }) => emits.map(event => ({ name, event })))

/** The events that were sent to the queue by the last request. */
function firedEvents(): string[] {
  return chain.sent.flatMap(({ queue, body }) =>
    queue === 'events' && body.kind === 'event' ? [body.event] : [],
  )
}

describe('a declared event', () => {
  it.each(DECLARED)('$event is fired by $name', async ({ name, event }) => {
    const cases: Partial<Record<string, EventCase>> = EVENT_CASES[name] ?? {}
    const arrange = cases[event]
    if (!arrange) throw new Error(`Give ${name} a case in which it fires ${event}, or do not declare it.`)
    const subscriber = await openSubscriber()
    const ask = await arrange({ ...records, user: chain.user, url: subscriber.url })
    chain.sent.length = 0
    await records.send(name, ask)
    expect([...firedEvents(), ...subscriber.events()]).toContain(event)
  })
})
