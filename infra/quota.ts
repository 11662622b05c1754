// Whether the account may run all that a stage runs at once: a new one may run 10 functions, and a thousand on request.
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../shared/service/workers.ts'

/** So many requests are answered at once while all workers are busy; fewer, and readers are turned away. */
const FOR_REQUESTS = 20
/** SQS lets no event source be limited to less. */
const LEAST = 2

/** How many functions the queues and the clock run at once, where no worker runs more than `maxConcurrency`. */
export function workersAtOnce(maxConcurrency: number): number {
  return Object.values(QUEUE_WORKERS).reduce(
    (all, worker) => all + Math.min(worker.maxConcurrency, maxConcurrency),
    Object.keys(SCHEDULED_WORKERS).length,
  )
}

export type Advice = { says: string; isFitting: boolean }

/** `quota`: what the account may run at once, all of its functions together. */
export function adviceFor(quota: number, maxConcurrency: number): Advice {
  const workers = workersAtOnce(maxConcurrency)
  const left = quota - workers
  const lead = `The account may run ${quota} functions at once; the workers of this stage take up to ${workers}`
  if (left >= FOR_REQUESTS) return { says: `${lead}, which leaves ${left} for requests.`, isFitting: true }
  const ask = 'Ask for a higher quota: Service Quotas, AWS Lambda, "Concurrent executions" (L-B99A9384).'
  const remaining = `${lead}, which leaves ${Math.max(0, left)} for requests: under load, readers get 503.`
  const smaller = largestThatFits(quota, maxConcurrency)
  if (smaller === maxConcurrency) return { says: `${remaining} ${ask}`, isFitting: true }
  return { says: `${remaining} Deploy with -c maxConcurrency=${smaller}. ${ask}`, isFitting: false }
}

function largestThatFits(quota: number, maxConcurrency: number): number {
  let most = maxConcurrency
  while (most > LEAST && quota - workersAtOnce(most) < FOR_REQUESTS) most--
  return most
}
