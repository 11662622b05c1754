// Measures the health of each part of the service, in parallel and with a short time-out.
import { perQueue, QUEUE_NAMES } from '../events/message.ts'
import { queueDepth } from '../events/queue-depth.ts'
import { countSetAsideUpTo } from '../events/set-aside.ts'
import { findBeat } from '../events/sweep-beat.ts'
import { listWaitingRows } from '../events/sweep-outbox.ts'
import { queueUrl, type Runtime } from '../runtime/runtime.ts'
import { MAX_SET_ASIDE, type Measurements } from '../site/health.ts'
import { readSettings } from '../site/store/settings.ts'
import { within } from './within.ts'

const TIMEOUT_MS = 800

export async function measureHealth(
  { table, sqs, environment, log }: Runtime,
  nowMs: number,
): Promise<Measurements> {
  const measure = async <T>(part: string, work: Promise<T>): Promise<T | undefined> => {
    try {
      return await within(TIMEOUT_MS, work)
    } catch (error) {
      log('warn', 'a part of the service is not well', { part, problem: String(error) })
      return undefined
    }
  }
  const depths = async () => {
    const reading = QUEUE_NAMES.map(name => queueDepth(sqs, queueUrl(environment, name)))
    const numbers = await Promise.all(reading)
    return perQueue(name => numbers[QUEUE_NAMES.indexOf(name)] ?? 0)
  }
  const startedMs = performance.now()
  const [tableMs, waiting, sweep, outbox] = await Promise.all([
    measure(
      'table',
      readSettings(table).then(() => Math.round(performance.now() - startedMs)),
    ),
    measure('queues', depths()),
    measure(
      'sweep',
      findBeat(table).then(beat => ({ beat })),
    ),
    measure(
      'outbox',
      Promise.all([listWaitingRows(table, nowMs, 0), countSetAsideUpTo(table, MAX_SET_ASIDE)]),
    ),
  ])
  return {
    nowMs,
    tableMs,
    waiting,
    sweep,
    outbox: outbox && { oldestMs: outbox[0][0]?.atMs, waiting: outbox[0].length, setAside: outbox[1] },
  }
}
