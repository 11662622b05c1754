// Outbox rows that are set aside are kept, and sent by a version that can read them.
import { beforeEach, describe, expect, it } from 'vitest'
import { countSetAside, restoreSetAside } from '../../shared/events/set-aside.ts'
import { use } from '../world/use.ts'
import { mail, NOW_MS, openOutbox, unknownKind, unknownQueue } from './outbox-world.ts'

const outbox = use(openOutbox)
beforeEach(() => outbox.begin())

describe('outbox rows that are set aside', () => {
  it('are sent by the next sweep after a version can read them', async () => {
    await outbox.put([unknownKind(1), unknownQueue(2)])
    await outbox.sweep()
    // Simulates a running version that knows the kind.
    for (const item of await outbox.dump()) {
      if (item.queue === 'mail') await outbox.put([{ ...item, body: mail(7).body }])
    }
    expect(await restoreSetAside(outbox.table, undefined, NOW_MS)).toEqual({ moved: 1, unreadable: 1 })
    expect((await outbox.sweep()).swept).toEqual({ sent: 1, setAside: 0, left: 0 })
    expect(outbox.visible('mail')).toBe(1)
    expect(await countSetAside(outbox.table)).toEqual([
      { queue: 'tomorrow', problem: 'queue: invalid_value', rows: 1 },
    ])
  })

  it('are sent by the next sweep after they are restored, although their queue has other messages', async () => {
    await outbox.put([unknownKind(1)])
    await outbox.sweep()
    for (const item of await outbox.dump()) await outbox.put([{ ...item, body: mail(7).body }])
    await outbox.sender.send([mail(0)])
    expect(await restoreSetAside(outbox.table, undefined, NOW_MS)).toEqual({ moved: 1, unreadable: 0 })
    expect((await outbox.sweep()).swept.sent).toBe(1)
    expect(outbox.visible('mail')).toBe(2)
  })

  it('are restored for one queue only if one is named', async () => {
    await outbox.put([unknownKind(1), unknownQueue(2)])
    await outbox.sweep()
    expect(await restoreSetAside(outbox.table, 'tidy', NOW_MS)).toEqual({ moved: 0, unreadable: 0 })
    expect(await restoreSetAside(outbox.table, 'mail', NOW_MS)).toEqual({ moved: 0, unreadable: 1 })
  })
})
