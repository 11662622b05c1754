// Measures the health of each part of the service, in parallel and with a short time-out.
import { findLastRun } from '../events/last-run.ts'
import { listLeftRows } from '../events/sweep-outbox.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Measurements } from '../site/health.ts'
import { readSettings } from '../site/store/settings.ts'
import { within } from './within.ts'

const TIMEOUT_MS = 800

export async function measureHealth({ table, log }: Runtime, nowMs: number): Promise<Measurements> {
  const measure = async <T>(part: string, work: Promise<T>): Promise<T | undefined> => {
    try {
      return await within(TIMEOUT_MS, work)
    } catch (error) {
      log('warn', 'a part of the service is not well', { part, problem: String(error) })
      return undefined
    }
  }
  const startedMs = performance.now()
  const reading = readSettings(table).then(() => Math.round(performance.now() - startedMs))
  const [tableMs, sweep, outbox] = await Promise.all([
    measure('table', reading),
    measure(
      'sweep',
      findLastRun(table).then(lastRunMs => ({ lastRunMs })),
    ),
    measure('outbox', listLeftRows(table, nowMs)),
  ])
  return {
    nowMs,
    tableMs,
    sweep,
    outbox: outbox && { oldestMs: outbox[0]?.sinceMs, waiting: outbox.length },
  }
}
