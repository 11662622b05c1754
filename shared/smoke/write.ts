// The writing part of the smoke test: a draft is written, read and deleted, and its deletion is delivered.
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { ClientSettings } from '../aws/client.ts'
import { log } from '../runtime/log.ts'
import type { Failure } from './reason.ts'
import { causeOf } from './run.ts'
import { hide, OutOfTime, openStep, type Step, StepFailed, StepRefused, type WritingTest } from './step.ts'
import { readToken } from './token.ts'

/** The title of the draft and the name of the subscription, by which what a run left is found. */
export const NAME = 'Smoke test of a deployment: may be deleted'
export const SLUG = 'smoke-test-of-a-deployment-may-be-deleted'
/** The event of the draft's deletion. Readers see nothing of it. */
const EVENT = 'post.deleted'
/** No such name ever exists: the worker records that, and so shows that it works. */
const NOWHERE = 'https://smoke-test.invalid'
/** Each pause is twice as long as the one before: all requests of a run stay below the limit of admins. */
const FIRST_POLL_MS = 1_000
const LONGEST_POLL_MS = 8_000

const Created = z.object({ id: z.int() })
const Draft = z.object({ id: z.int(), title: z.literal(NAME), is_published: z.literal(false) })
const Posts = z.array(z.object({ id: z.int(), title: z.string(), is_published: z.boolean() }))
const Webhooks = z.array(z.object({ id: z.int(), name: z.string() }))
const Deliveries = z.array(
  z.object({
    status: z.string(),
    error_detail: z.nullable(z.string()),
    resource: z.nullable(z.object({ id: z.int() })),
  }),
)

/** Returns the step that failed, if one did. */
export async function runWrites(test: WritingTest, access: ClientSettings): Promise<Failure[]> {
  const budget = AbortSignal.timeout(test.Writing.BudgetSeconds * 1000)
  const token = await readToken(access, test, budget)
  if (typeof token !== 'string') return [token]
  try {
    const step = openStep(test, token, budget)
    await cleanUp(step)
    await writeAndDeliver(test, step, budget)
    return []
  } catch (error) {
    const cleaning = AbortSignal.timeout(test.Writing.CleanUpSeconds * 1000)
    await cleanUp(openStep(test, token, cleaning)).catch(() => {
      log('warn', 'the smoke test left its records, which the next one deletes', { name: NAME })
    })
    if (error instanceof StepRefused) {
      log('warn', 'the smoke test could not write, since the API refused it for now', { step: error.message })
      return []
    }
    const unknown = { parts: [], problem: `The smoke test could not go on: ${causeOf(error)}` }
    const { parts, problem } = error instanceof StepFailed ? error.failure : unknown
    return [{ parts, problem: hide(problem, token) }]
  }
}

/** Deletes the records of a run that failed or was stopped. */
async function cleanUp(step: Step): Promise<void> {
  const webhooks = await step.read({ step: 'find old subscriptions', endpoint: 'ListWebhooks' }, Webhooks)
  for (const { id, name } of webhooks) {
    if (name === NAME) await deleteWebhook(step, id, 'delete an old subscription')
  }
  const posts = await step.read(
    { step: 'find an old draft', endpoint: 'ListPosts', query: { slug: SLUG } },
    Posts,
  )
  for (const { id, title, is_published } of posts) {
    if (title === NAME && !is_published) await deletePost(step, id, 'delete an old draft')
  }
}

async function writeAndDeliver(test: WritingTest, step: Step, budget: AbortSignal): Promise<void> {
  const { Receiver } = test.Writing
  const post = await step.read(
    {
      step: 'write a draft',
      endpoint: 'CreatePost',
      body: { title: NAME, slug: SLUG, body: '<p>Written and deleted by each deployment.</p>' },
    },
    Created,
  )
  await step.read({ step: 'read the draft', endpoint: 'GetPost', id: post.id }, Draft)
  const webhook = await step.read(
    {
      step: 'subscribe',
      endpoint: 'CreateWebhook',
      body: { name: NAME, url: Receiver ?? NOWHERE, events: [EVENT] },
    },
    Created,
  )
  if (Receiver) await step.send({ step: 'ping the receiver', endpoint: 'TestWebhook', id: webhook.id })
  await deletePost(step, post.id, 'delete the draft')
  const isMissing = { expects: [404] }
  await step.send({ step: 'read the deleted draft', endpoint: 'GetPost', id: post.id, ...isMissing })
  await awaitDelivery(test, step, { webhookId: webhook.id, postId: post.id, budget })
  await deleteWebhook(step, webhook.id, 'unsubscribe')
  await step.send({
    step: 'read the deleted subscription',
    endpoint: 'GetWebhook',
    id: webhook.id,
    ...isMissing,
  })
}

/** A repeated deletion may find that the first attempt has deleted it. */
const DELETED = [200, 404]

async function deletePost(step: Step, id: number, name: string): Promise<void> {
  await step.send({ step: name, endpoint: 'DeletePost', id, expects: DELETED })
}

async function deleteWebhook(step: Step, id: number, name: string): Promise<void> {
  await step.send({ step: name, endpoint: 'DeleteWebhook', id, expects: DELETED })
}

type Awaited = { webhookId: number; postId: number; budget: AbortSignal }

/** With a receiver the delivery must succeed; without one it must have ended. */
async function awaitDelivery(
  { Writing }: WritingTest,
  step: Step,
  { webhookId, postId, budget }: Awaited,
): Promise<void> {
  const { Receiver, Workers, BudgetSeconds } = Writing
  const failed = (problem: string) =>
    new StepFailed({ parts: Workers, problem: `deliver ${EVENT}: ${problem}` })
  const request = {
    step: 'read the delivery log',
    endpoint: 'ListDeliveries',
    id: webhookId,
    query: { event: EVENT },
  } as const
  let status = 'missing'
  let pauseMs = FIRST_POLL_MS
  try {
    while (!budget.aborted) {
      const deliveries = await step.read(request, Deliveries)
      const delivery = deliveries.find(({ resource }) => resource?.id === postId)
      status = delivery?.status ?? status
      if (status === 'succeeded' || (status === 'failed' && !Receiver)) return
      if (status === 'failed') throw failed(`the delivery failed: ${delivery?.error_detail}`)
      await pause(pauseMs, undefined, { signal: budget }).catch(() => {})
      pauseMs = Math.min(2 * pauseMs, LONGEST_POLL_MS)
    }
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error
  }
  throw failed(`the delivery is ${status} in the log when the ${BudgetSeconds} s for all steps are over`)
}
