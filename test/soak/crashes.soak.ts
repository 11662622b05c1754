// Crashes at each call of a write and of its workers: the write happens completely or not at all.
import { beforeAll, describe, expect, it } from 'vitest'
import type { EventMessage } from '../../shared/events/message.ts'
import { eventLine, expectEqual } from '../histories/checks.ts'
import { expectDelivered, openReceiver } from '../histories/faulty/checks.ts'
import { openFaultyWorld } from '../histories/faulty/world.ts'
import { openModel } from '../histories/model.ts'
import { START_MS, type Step } from '../histories/steps.ts'
import { takeStep } from '../histories/take-step.ts'
import type { Interceptor } from '../support/faults/call-proxy.ts'
import { FAULT_KINDS } from '../support/faults/faults.ts'
import { skipPauses } from '../support/skipped-pauses.ts'
import { use } from '../support/use.ts'

skipPauses()

const CRASH_KINDS = ['crashBefore', 'crashAfter'] as const
const SEED = 3

/** Crashes the run that makes the nth call from now on, once. */
let armed: { nth: number; kind: (typeof CRASH_KINDS)[number] } | undefined
const interceptor: Interceptor = (call, next, crash) => {
  if (!armed || --armed.nth > 0) return next(call)
  const { kind } = armed
  armed = undefined
  return FAULT_KINDS[kind].inject(call, next, { chance: 0, crash })
}

const receiver = use(openReceiver)
const world = use(async () => {
  const sizes = { range: 4, node: 4 }
  const { url: hookUrl } = receiver
  return await openFaultyWorld({ startMs: START_MS, sizes, seed: SEED, hookUrl, interceptor })
})
const model = openModel(START_MS)
beforeAll(() => take({ newCategory: 'News', slug: null }))

function take(step: Step) {
  return takeStep(world, model, step)
}

const events: EventMessage[] = []
async function finishWork(name: string) {
  await world.drain(model)
  model.announceDue()
  const fired = world.takeEvents()
  events.push(...fired)
  expect([name, fired.map(eventLine).sort()]).toEqual([name, model.takeEvents().sort()])
}

const draft = { title: 'Zebra' as const, members: { isPublished: false, categories: [0] } }
const live = { title: 'Al' as const, members: { isPublished: true, categories: [0] } }
function last() {
  return model.posts().length - 1
}

/** A step before, and the write that crashes. */
const WRITES: Record<string, { before?: Step; write: () => Step }> = {
  'creating a post': { write: () => ({ create: [live] }) },
  'publishing a post': { before: { create: [draft] }, write: () => ({ publish: [last()] }) },
  'changing slug and categories': {
    before: { create: [live] },
    write: () => ({ nth: last(), change: { slug: `al${events.length}`, categories: [] } }),
  },
  'deleting a post': { before: { create: [live] }, write: () => ({ remove: [last()] }) },
}

describe.each(Object.entries(WRITES))('%s', (name, { before, write }) => {
  it.each(CRASH_KINDS)('happens completely or not at all with %s at any of its calls', async kind => {
    let nth = 1
    for (let hasCrashed = true; hasCrashed; nth++) {
      if (before) await take(before)
      armed = { nth, kind }
      await take(write())
      hasCrashed = armed === undefined
      armed = undefined
    }
    await finishWork(`${name}: ${kind}`)
    expect(nth).toBeGreaterThan(5)
  })
})

describe('the workers after publishing a post', () => {
  it.each(CRASH_KINDS)('do all of their work with %s at any of their calls', async kind => {
    let nth = 1
    for (let hasCrashed = true; hasCrashed; nth++) {
      await take({ create: [live] })
      armed = { nth, kind }
      await finishWork(`${kind} of call ${nth}`)
      hasCrashed = armed === undefined
      armed = undefined
    }
    expect(nth).toBeGreaterThan(35)
  })
})

describe('the service after all crashes', () => {
  it('answers like the model, and has a final delivery of every event', async () => {
    await finishWork('the end')
    await expectEqual(world, model, 5)
    await expectDelivered(world, events, receiver.received)
  })
})
