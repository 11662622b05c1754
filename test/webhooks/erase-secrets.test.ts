// Old secrets are erased for good after their overlap, whatever happens to the subscription during it.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { ROTATIONS_PARTITION, webhookKey } from '../../shared/table/design.ts'
import { eraseEndedSecrets } from '../../shared/webhooks/commands/erase-secrets.ts'
import { rotateSecret } from '../../shared/webhooks/commands/rotate-secret.ts'
import { changeWebhook, removeWebhook } from '../../shared/webhooks/commands/webhooks.ts'
import { findWebhook } from '../../shared/webhooks/store/webhooks.ts'
import { changedWebhook, type WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { useTable } from '../world/new-table.ts'
import { unitOfWorkOn } from '../world/work.ts'
import { subscribe } from './subscriptions.ts'
import { environment } from './workers.ts'

const world = useTable()

const HOUR = 3_600
/** A minute after the end of an overlap of one hour. */
const ERASABLE = HOUR + 60

function refOf({ owner_id, id }: WebhookRecord) {
  return { ownerId: owner_id, id }
}

let startSeconds = 1_800_000_000

/** A subscription in a rotation with an overlap of one hour, which starts after all earlier ones. */
async function openRotation() {
  startSeconds += 10 * HOUR
  const startMs = startSeconds * 1000
  const webhook = await subscribe(world.table, 'https://a.example/', { sinceMs: startMs - 1_000 })
  await rotateSecret(unitOfWorkOn(world.table, startMs), environment, refOf(webhook), 1)
  const stored = async () => {
    const record = await findWebhook(world.table, refOf(webhook))
    return { revision: record?.revision, secrets: record?.sealed_secret.split(' ').length }
  }
  return { webhook, after: (seconds: number) => startSeconds + seconds, stored }
}

async function rowsOf({ id }: WebhookRecord): Promise<number> {
  const rows = await world.table.query({ pk: ROTATIONS_PARTITION }, z.object({ webhook_id: z.int() }))
  return rows.filter(row => row.webhook_id === id).length
}

describe('the sweep', () => {
  it('erases the old secret once its overlap is over, and not before', async () => {
    const { webhook, after, stored } = await openRotation()
    expect(await eraseEndedSecrets(world.table, after(ERASABLE - 1))).toBe(0)
    expect([await stored(), await rowsOf(webhook)]).toEqual([{ revision: 2, secrets: 3 }, 1])
    expect(await eraseEndedSecrets(world.table, after(ERASABLE + 1))).toBe(1)
    expect([await stored(), await rowsOf(webhook)]).toEqual([{ revision: 3, secrets: 1 }, 0])
    expect(await eraseEndedSecrets(world.table, after(ERASABLE + 2))).toBe(0)
  })

  it('erases it once if two sweeps run together', async () => {
    const { webhook, after, stored } = await openRotation()
    const sweeps = [1, 2, 3].map(() => eraseEndedSecrets(world.table, after(ERASABLE + 1)))
    await Promise.all(sweeps)
    await eraseEndedSecrets(world.table, after(ERASABLE + 61))
    expect([await stored(), await rowsOf(webhook)]).toEqual([{ revision: 3, secrets: 1 }, 0])
  })

  it('keeps members of the record that it does not know', async () => {
    const { webhook, after } = await openRotation()
    const Key = webhookKey(webhook.owner_id, webhook.id)
    const [item] = await world.table.findMany([Key])
    await world.table.putMany([{ ...Key, ...item, of_tomorrow: 'kept' }])
    await eraseEndedSecrets(world.table, after(ERASABLE + 1))
    expect(await world.table.findMany([Key])).toMatchObject([{ of_tomorrow: 'kept', revision: 3 }])
  })

  it('leaves a later rotation alone, and a deleted subscription deleted', async () => {
    const { webhook, after, stored } = await openRotation()
    const later = after(HOUR) * 1000
    await rotateSecret(unitOfWorkOn(world.table, later), environment, refOf(webhook), 1)
    expect(await eraseEndedSecrets(world.table, after(ERASABLE + 1))).toBe(1)
    expect(await stored()).toEqual({ revision: 3, secrets: 3 })
    await removeWebhook(unitOfWorkOn(world.table), refOf(webhook))
    expect(await eraseEndedSecrets(world.table, after(HOUR + ERASABLE + 1))).toBe(1)
    expect(await findWebhook(world.table, refOf(webhook))).toBeUndefined()
    expect(await rowsOf(webhook)).toBe(0)
  })
})

describe('a change of the subscription', () => {
  it('keeps both secrets during the overlap, and erases the old one after it', async () => {
    const { webhook, after, stored } = await openRotation()
    const rename = (nowSeconds: number) =>
      changeWebhook(unitOfWorkOn(world.table, nowSeconds * 1000), refOf(webhook), read =>
        changedWebhook(read, { name: 'Shop' }, nowSeconds * 1000),
      )
    await rename(after(HOUR))
    expect(await stored()).toEqual({ revision: 3, secrets: 3 })
    await rename(after(ERASABLE))
    expect(await stored()).toEqual({ revision: 4, secrets: 1 })
    expect(await eraseEndedSecrets(world.table, after(ERASABLE + 1))).toBe(1)
    expect([await stored(), await rowsOf(webhook)]).toEqual([{ revision: 4, secrets: 1 }, 0])
  })
})
