// A running service into which faults are planted and from which they are removed.
import { PurgeQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { clientSettings, LAMBDA_QUOTA } from '../../infra/local/account.ts'
import { type Call, failure, type Interceptor } from '../world/faults/call.ts'
import type { MailFault } from '../../infra/local/mail/ses.ts'
import { capitalized } from '../../infra/names.ts'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { QUEUE_NAMES } from '../../shared/events/message.ts'
import type { Item } from '../../shared/table/key.ts'
import { newsletterWorld } from '../world/newsletter-world.ts'
import { until } from '../world/until.ts'
import { openWorld } from '../world/world.ts'

export type Matches = (call: Call) => boolean

export async function openAlarmWorld() {
  const none: Interceptor = (call, next) => next(call)
  let intercept = none
  let aheadMs = 0
  let quota = LAMBDA_QUOTA
  let mailFault: MailFault | undefined
  const logged: string[] = []
  const world = await openWorld({
    interceptors: [(...args) => intercept(...args)],
    metricsClock: () => Date.now() + aheadMs,
    lambdaQuota: () => quota,
    mailFaultOf: () => mailFault,
    log: line => logged.push(line),
  })
  const sqs = new SQSClient(clientSettings(world.sqsEndpoint))
  const planted: Item[] = []
  const { metrics, table, call, admin, unique } = world

  /** Answers the calls that match with this fault; with `every: 2` each second one. */
  const fail = (matches: Matches, [status, type]: [number, string], { every = 1 } = {}) => {
    let count = 0
    intercept = (call, next) =>
      matches(call) && count++ % every === 0 ? Promise.resolve(failure(status, type)) : next(call)
  }
  const delay = (matches: Matches, ms: number) => {
    intercept = async (call, next) => {
      if (matches(call)) await new Promise(resolve => setTimeout(resolve, ms))
      return next(call)
    }
  }
  const put = async (items: Item[]) => {
    planted.push(...items)
    await table.putMany(items)
  }
  const send = (name: string, body: unknown = {}) => {
    const isFifo = name.startsWith('Index')
    const QueueUrl = world.queueUrl(name)
    const fifo = isFifo && { MessageGroupId: 'one', MessageDeduplicationId: unique('message') }
    return sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body), ...fifo }))
  }
  const sweep = () => world.runSchedule('sweep')
  const { pending } = newsletterWorld(world)
  /** Sends a mail, and returns when its worker has nothing more to do. */
  const sendMail = async (fault?: MailFault) => {
    mailFault = fault
    await pending()
    await until('the mail and its notice to be done', () => world.isIdle())
  }

  const repair = async () => {
    intercept = none
    aheadMs = 0
    quota = LAMBDA_QUOTA
    mailFault = undefined
    const names = QUEUE_NAMES.flatMap(name => [
      `${capitalized(name)}Queue`,
      `${capitalized(name)}DeadLetters`,
    ])
    await Promise.all(names.map(name => sqs.send(new PurgeQueueCommand({ QueueUrl: world.queueUrl(name) }))))
    await table.removeMany(planted.splice(0).map(({ pk, sk }) => ({ pk, sk })))
    metrics.clear()
  }
  const stop = async () => {
    sqs.destroy()
    await world.stop()
  }
  return {
    world,
    logged,
    metrics,
    fail,
    delay,
    put,
    willRemove: (item: Item) => planted.push(item),
    send,
    sweep,
    isWaiting: (name: string) => {
      const { visible, inFlight } = world.queueDepth(name)
      return visible + inFlight > 0
    },
    repair,
    stop,
    setAhead: (seconds: number) => {
      aheadMs = seconds * 1000
    },
    setQuota: (most: number) => {
      quota = most
    },
    sendMail,
    readCategories: () => call(categories.listCategories),
    createCategory: () =>
      call(adminCategories.createCategory, { token: admin, body: { name: unique('News') } }),
  }
}

export type AlarmWorld = Awaited<ReturnType<typeof openAlarmWorld>>
