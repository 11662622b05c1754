// A stage whose command line is killed, under a load of acts that must not fail.
import { expect } from 'vitest'
import type { Interceptor } from '../support/faults/call-proxy.ts'
import { until } from '../support/until.ts'
import type { World } from '../support/world.ts'
import { stageOf } from './operator-process.ts'

/** The environment of a stage. `kill` is called after the nth transaction of the command. */
export async function stageKilledAfter(
  world: World,
  transactions: number,
  kill: () => void,
): Promise<Record<string, string>> {
  let left = transactions
  const interceptor: Interceptor = async (call, next) => {
    const answer = await next(call)
    if (call.operation === 'TransactWriteItems' && --left === 0) kill()
    return answer
  }
  return {
    ...(await stageOf(world, interceptor)),
    // The real secrets, which the command changes.
    AWS_ENDPOINT_URL_SECRETS_MANAGER: world.secretsManagerEndpoint,
  }
}

/** Repeats each act until `stop`, which throws if one has failed. Each has run after the last change. */
export function underLoad(acts: Record<string, () => Promise<void>>) {
  const failures: unknown[] = []
  const counts: Record<string, number> = {}
  let isOver = false
  const loops = Object.entries(acts).map(async ([name, act]) => {
    while (!isOver) {
      await act().catch(error => failures.push([name, error]))
      counts[name] = (counts[name] ?? 0) + 1
    }
  })
  /** Waits until each act has run twice from its beginning. */
  const round = async () => {
    const before = { ...counts }
    await until('a round of the load', () =>
      Object.keys(acts).every(name => (counts[name] ?? 0) >= (before[name] ?? 0) + 2),
    )
  }
  const stop = async () => {
    isOver = true
    await Promise.all(loops)
    expect(failures).toEqual([])
  }
  return { round, stop }
}
