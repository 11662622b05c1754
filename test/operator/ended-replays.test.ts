// Which replays a restore ends: those that the old table has taken further than the restored one.
import { expect, it } from 'vitest'
import { endReplays } from '../../infra/operator/restore/sent-events.ts'
import { newEventId } from '../../shared/events/event-id.ts'
import { replayKey } from '../../shared/table/design.ts'
import { findReplay } from '../../shared/webhooks/store/replays.ts'
import { subscribe } from '../webhooks/subscriptions.ts'
import { newTable } from '../world/new-table.ts'
import { use } from '../world/use.ts'

const restored = use(newTable)
const old = use(newTable)

it.each([
  ['ends one that the old table has taken further', { restoredStep: 1, oldStep: 2 }, true],
  ['keeps one that stood still since', { restoredStep: 1, oldStep: 1 }, false],
  ['keeps one that the restored table has taken further since', { restoredStep: 2, oldStep: 1 }, false],
])('%s', async (_, { restoredStep, oldStep }, isEnded) => {
  const nowMs = Date.now()
  const atMs = nowMs - 3_600_000
  const { id, owner_id } = await subscribe(restored.table, 'https://hooks.example/')
  const replay = {
    ...{ ...replayKey(id), id: newEventId(atMs).replace('evt', 'replay'), webhook_id: id, owner_id },
    ...{ since: 0, until: Math.floor(atMs / 1000), status: 'all', events: null },
    ...{ position: '', asked: [], expires: Math.floor(nowMs / 1000) + 86_400 },
  }
  await restored.table.putMany([{ ...replay, step: restoredStep }])
  await old.table.putMany([{ ...replay, step: oldStep }])
  expect(await endReplays(restored.table, [old.table], { atMs, nowMs })).toBe(isEnded ? 1 : 0)
  expect((await findReplay(restored.table, id, nowMs)) === undefined).toBe(isEnded)
  await restored.table.removeMany([replayKey(id)])
})
