// Checks that the account's Lambda quota suffices for a stage: new accounts have a quota of 10.
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../shared/service/workers.ts'

/** The runs that must be left for requests while all workers are busy; with fewer, readers get 503. */
const RUNS_FOR_REQUESTS = 20
/** SQS accepts no lower limit for an event source. */
const MIN_CONCURRENCY = 2

/** The most concurrent functions of queues and schedules, with at most `maxConcurrency` for each queue. */
export function workersAtOnce(maxConcurrency: number): number {
  return Object.values(QUEUE_WORKERS).reduce(
    (all, worker) => all + Math.min(worker.maxConcurrency, maxConcurrency),
    Object.keys(SCHEDULED_WORKERS).length,
  )
}

export type Advice = { text: string; mayDeploy: boolean }

/** @param quota how many functions the account may run at the same time. */
export function adviceFor(quota: number, maxConcurrency: number): Advice {
  const workers = workersAtOnce(maxConcurrency)
  const forRequests = Math.max(0, quota - workers)
  const lead = `The account may run ${quota} functions at the same time; the workers of this stage take up to ${workers}`
  const rest = `${lead}, which leaves ${forRequests} for requests`
  if (forRequests >= RUNS_FOR_REQUESTS) return { text: `${rest}.`, mayDeploy: true }
  const warning = `${rest}: under load, readers get 503.`
  const request = 'Ask for a higher quota: Service Quotas, AWS Lambda, "Concurrent executions" (L-B99A9384).'
  const smaller = largestThatFits(quota, maxConcurrency)
  if (smaller === maxConcurrency) return { text: `${warning} ${request}`, mayDeploy: true }
  return {
    text: `${warning} Deploy with -c maxConcurrency=${smaller}, and keep it in infra/stages.ts. ${request}`,
    mayDeploy: false,
  }
}

function largestThatFits(quota: number, maxConcurrency: number): number {
  let most = maxConcurrency
  while (most > MIN_CONCURRENCY && quota - workersAtOnce(most) < RUNS_FOR_REQUESTS) most--
  return most
}
