// What happens behind the requests: the emulators of queues and mail, the queues' workers, and the clock.
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import { type AccessRecord, openAccessRecord } from './access.ts'
import { queueUrlOf } from './account.ts'
import { type LocalFunction, type LocalStage, openFunctions } from './functions.ts'
import type { Log } from './log.ts'
import { inEnvelope, type Ses, startSes } from './mail/ses.ts'
import { connectPoller, startPoller } from './poller.ts'
import { type QueueDepth, startQueues } from './queues.ts'
import type { State } from './state.ts'

export type Folders = Pick<State, 'queuesFolder' | 'mailFolder'>

/** Without `folders` messages and mails stay in memory. */
export type BackgroundOptions = { folders: Folders | undefined; log: Log }

export type Background = {
  endpoints: { sqs: string; ses: string }
  /** Lets the workers and the clock begin. Without the clock, schedules run only by `run`. */
  start: (stage: LocalStage, hasClock: boolean) => void
  /** Resolves with the reason if the background ends without `stop`; otherwise never. */
  failed: Promise<string>
  /** Receives nothing more, and waits for running workers. */
  stop: () => Promise<void>
}

/** In this thread, and so with all its parts in reach. */
export type OpenBackground = Background & {
  mails: Ses['mails']
  record: AccessRecord
  depthOf: (queueName: string) => QueueDepth
  /** Calls a worker with an event. Rejects with its error. */
  run: (name: string, event: unknown) => Promise<unknown>
}

export async function openBackground(options: BackgroundOptions): Promise<OpenBackground> {
  const { folders, log } = options
  await using opened = new AsyncDisposableStack()
  const queues = await startQueues(folders?.queuesFolder)
  opened.defer(() => queues.stop())
  const client = connectPoller(queues.endpoint)
  opened.defer(() => client.destroy())
  const publish = async (event: object) => queues.send('jobs', inEnvelope(event))
  const ses = await startSes({ folder: folders?.mailFolder, publish, log })
  opened.defer(() => ses.stop())

  const resources = opened.move()
  const record = openAccessRecord()
  let workers = new Map<string, LocalFunction>()
  const run = async (name: string, event: unknown) => {
    const worker = workers.get(name)
    if (!worker) throw new Error(`There is no worker ${name}.`)
    return await worker(event)
  }
  const start = (stage: LocalStage, hasClock: boolean) => {
    workers = openFunctions({ ...QUEUE_WORKERS, ...SCHEDULED_WORKERS }, { stage, record, log })
    const pollers = Object.entries(QUEUE_WORKERS).map(([name, { consumes, batchSize, maxConcurrency }]) => {
      const queue = { url: queueUrlOf(queues.endpoint, consumes), batchSize, maxConcurrency }
      return startPoller({ client, name, queue, invoke: event => run(name, event), log })
    })
    resources.defer(async () => void (await Promise.all(pollers.map(poller => poller.stop()))))
    if (!hasClock) return
    const clock = startClock(run, log)
    resources.defer(() => clock.stop())
  }
  return {
    endpoints: { sqs: queues.endpoint, ses: ses.endpoint },
    mails: ses.mails,
    record,
    depthOf: queues.depth,
    run,
    start,
    failed: new Promise(() => {}),
    stop: () => resources.disposeAsync(),
  }
}

/** Each scheduled worker runs immediately, to catch up after a downtime, and then once in its period. */
function startClock(run: (name: string, event: unknown) => Promise<unknown>, log: Log) {
  const running = new Set<Promise<unknown>>()
  let stopped = false
  const tick = (name: string) => {
    const one = run(name, {})
      .catch(error => {
        if (!stopped) log(`${name} failed: ${error instanceof Error ? error.message : error}`, 'warn')
      })
      .finally(() => running.delete(one))
    running.add(one)
  }
  const timers = Object.entries(SCHEDULED_WORKERS).map(([name, { everyMinutes }]) => {
    tick(name)
    return setInterval(tick, everyMinutes * 60_000, name)
  })
  return {
    async stop() {
      stopped = true
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running)
    },
  }
}
