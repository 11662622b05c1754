// An hour of failures is sent again with one call for each subscription while the service is killed.
import { expect, it } from 'vitest'
import { replayAcrossKills } from '../process/replays.ts'

const EVENTS = Number(process.env.EVENTS ?? 334)
const KILLS = Number(process.env.KILLS ?? 3)

it(`${EVENTS} failed deliveries to each of three subscriptions are sent again across ${KILLS} kills`, async () => {
  expect(await replayAcrossKills({ events: EVENTS, kills: KILLS, measures: true })).toBeGreaterThan(0)
})
