// Idle workers of all functions: a few stay, and those that were used least recently end first.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openWorkerBudget, type WorkerBudget } from '../../infra/local/lambda/worker-budget.ts'
import { eventually } from './eventually.ts'

const SPARED_MS = 30

/** Workers by name, of which `alive` are those that have not ended. */
function openWorkers(budget: WorkerBudget) {
  const alive = new Set<string>()
  const workers = new Map<string, object>()
  const workerOf = (name: string) => {
    const worker = workers.get(name) ?? {}
    workers.set(name, worker)
    return worker
  }
  const start = (...names: string[]) => {
    for (const name of names) {
      alive.add(name)
      budget.started()
    }
  }
  const idle = (...names: string[]) => {
    for (const name of names) {
      budget.idle(workerOf(name), () => {
        alive.delete(name)
        budget.ended(workerOf(name))
      })
    }
  }
  const busy = (name: string) => budget.busy(workerOf(name))
  const living = () => [...alive].join('')
  return { start, idle, busy, living }
}

describe('openWorkerBudget', () => {
  it('ends the least recently used idle workers until few enough are left', async () => {
    const { start, idle, busy, living } = openWorkers(openWorkerBudget(2, SPARED_MS))
    start('a', 'b', 'c', 'd')
    idle('a', 'b', 'c', 'd')
    busy('a')
    idle('a')
    await eventually(() => expect(living()).toBe('ad'))
  })

  it('ends no busy worker, however many there are', async () => {
    const { start, idle, living } = openWorkers(openWorkerBudget(1, SPARED_MS))
    start('a', 'b', 'c')
    idle('b')
    await eventually(() => expect(living()).toBe('ac'))
    await sleep(3 * SPARED_MS)
    expect(living()).toBe('ac')
    idle('a', 'c')
    await eventually(() => expect(living()).toBe('c'))
  })

  it('spares workers that are used again within a moment', async () => {
    const { start, idle, busy, living } = openWorkers(openWorkerBudget(1, 60_000))
    start('a', 'b')
    idle('a', 'b')
    busy('b')
    idle('b')
    await sleep(3 * SPARED_MS)
    expect(living()).toBe('ab')
  })
})
