// When an event reaches a subscriber whose deliveries all succeed, while those of others are sent again.
import { expect } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import type { openRecorder } from '../webhooks/recording.ts'
import { until } from '../world/until.ts'
import type { startProcess } from './service.ts'

/** Of the subscriber. */
export const FRESH_PATH = 'fresh'
const FRESH = 40

type Service = Awaited<ReturnType<typeof startProcess>>
type Recorder = Awaited<ReturnType<typeof openRecorder>>
/** Of a fresh event, from the answer to its publish on. */
type Arrival = { ms: number; othersBefore: number }

export async function publish({ call, token }: Service, title: string): Promise<void> {
  await call(adminPosts.createPost, { token, body: { title, is_published: true } })
}

export async function freshArrivals(service: Service, { recorded }: Recorder): Promise<Arrival[]> {
  const arrivals: Arrival[] = []
  for (let n = 0; n < FRESH; n++) {
    const isFresh = ({ path, body }: { path: string; body: string }) =>
      path === FRESH_PATH && body.includes(`"Fresh ${n}"`)
    const before = recorded.length
    await publish(service, `Fresh ${n}`)
    const [answeredMs, seen] = [performance.now(), recorded.length]
    const at = await until(
      'the fresh event',
      () => recorded.findIndex((one, i) => i >= before && isFresh(one)) + 1,
    )
    arrivals.push({ ms: performance.now() - answeredMs, othersBefore: Math.max(0, at - 1 - seen) })
  }
  return arrivals
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** By the order of arrivals, which a slow machine does not change: at most `most` others come before. */
export function expectLittleDelay(usual: Arrival[], during: Arrival[], most: number): void {
  const [usualMs, duringMs] = [usual, during].map(arrivals => median(arrivals.map(({ ms }) => ms)))
  const others = during.map(({ othersBefore }) => othersBefore)
  console.info(`a fresh event takes ${usualMs?.toFixed(1)} ms, and ${duringMs?.toFixed(1)} ms during replays`)
  console.info(
    `redeliveries that came before it: ${median(others)} in the middle, ${Math.max(...others)} at most`,
  )
  expect(median(others), 'redeliveries before a fresh event').toBeLessThanOrEqual(most)
}
