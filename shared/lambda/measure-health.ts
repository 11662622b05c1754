// Measures the health of each part of the service, in parallel and with a short time-out.
import { listLeftRows, readEmptyQueues } from '../events/left-rows.ts'
import { perQueue, QUEUE_NAMES, type QueueName } from '../events/message.ts'
import { type QueueDepth, sumOf } from '../events/queue-depth.ts'
import { findBeat } from '../events/sweep-beat.ts'
import { depthOf, type Runtime } from '../runtime/runtime.ts'
import type { Measurements } from '../site/health.ts'
import { readSettings } from '../site/store/settings.ts'
import { within } from './within.ts'

const TIMEOUT_MS = 800

export async function measureHealth(runtime: Runtime, nowMs: number): Promise<Measurements> {
  const { table, log } = runtime
  const measure = async <T>(part: string, work: Promise<T>): Promise<T | undefined> => {
    try {
      return await within(TIMEOUT_MS, work)
    } catch (error) {
      log('warn', 'a part of the service is not well', { part, problem: String(error) })
      return undefined
    }
  }
  const readDepths = async () => {
    const reading = QUEUE_NAMES.map(async name => [name, await depthOf(runtime, name)] as const)
    return new Map(await Promise.all(reading))
  }
  const measuringQueues = measure('queues', readDepths())
  const measuredDepth = async (name: QueueName): Promise<QueueDepth> => {
    const depth = (await measuringQueues)?.get(name)
    if (!depth) throw new Error(`The queue ${name} does not answer.`)
    return depth
  }
  const readOutbox = async () => {
    const isEmpty = await readEmptyQueues(measuredDepth)
    return await measure('outbox', listLeftRows(table, nowMs, isEmpty))
  }
  const startedMs = performance.now()
  const [tableMs, depths, sweep, outbox] = await Promise.all([
    measure(
      'table',
      readSettings(table).then(() => Math.round(performance.now() - startedMs)),
    ),
    measuringQueues,
    measure(
      'sweep',
      findBeat(table).then(beat => ({ beat })),
    ),
    readOutbox(),
  ])
  return {
    nowMs,
    tableMs,
    waiting: depths && perQueue(name => sumOf(depths.get(name))),
    sweep,
    outbox: outbox && { oldestMs: outbox[0]?.sinceMs, waiting: outbox.length },
  }
}
