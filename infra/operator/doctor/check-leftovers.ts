// Checks what may be left over, or waits: parts of texts, comments of deleted posts, erased users, old
// messages, and secrets that a previous key has sealed.
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { findUser } from '../../../shared/accounts/store/users.ts'
import { CommentState } from '../../../shared/comments/comment.ts'
import { listLeftRows, sweepOutbox } from '../../../shared/events/sweep-outbox.ts'
import { isoTime } from '../../../shared/http/time.ts'
import { CONFLICT, ConditionFailed } from '../../../shared/table/action.ts'
import { BlobRef } from '../../../shared/table/blob.ts'
import type { Table } from '../../../shared/table/client.ts'
import {
  blobIn,
  blobPartKey,
  type Item,
  type Key,
  kindOf,
  LEFTOVER_PARTITION,
  nameIn,
  pendingKey,
  postKey,
  threadPartition,
  webhooksOwnedKey,
} from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { startDeadline } from '../../../shared/table/retrying.ts'
import { changeWebhook, removeOwned, removeWebhook } from '../../../shared/webhooks/commands/webhooks.ts'
import { isSealedBefore, resealedWebhook } from '../../../shared/webhooks/secret.ts'
import {
  findWebhook,
  listFanOutEntries,
  listWebhooks,
  type WebhookRef,
} from '../../../shared/webhooks/store/webhooks.ts'
import type { Context } from '../command.ts'
import { RECORD_TYPES } from '../record-types.ts'
import { unitOfWorkOf } from '../unit-of-work.ts'
import type { Problem } from './expectations.ts'
import { keyOf } from './expectations.ts'

const WithBlob = z.object({ blob: BlobRef })
const LeftoverRow = z.object({ name: z.string() })

/** By the name of a large text: the keys of its stored parts, and the item that refers to it. */
export type Blobs = ReturnType<typeof openBlobs>

export function openBlobs() {
  const parts = new Map<string, Key[]>()
  const references = new Map<string, { key: Key; ref: BlobRef }>()
  const add = (item: Item): void => {
    const ref = WithBlob.safeParse(item).data?.blob
    if (ref) references.set(ref.name, { key: keyOf(item), ref })
    if (kindOf(item.pk) !== ('CHUNK' satisfies Kind)) return
    const name = blobIn(nameIn(item.pk))
    parts.set(name, [...(parts.get(name) ?? []), keyOf(item)])
  }
  return { parts, references, add }
}

/** The sweep removes those of a leftover row. */
async function listLeftovers(table: Table): Promise<Set<string>> {
  return new Set((await table.query({ pk: LEFTOVER_PARTITION }, LeftoverRow)).map(({ name }) => name))
}

/**
 * Parts that no record refers to. A suspect is scanned again, as its record may have been written during the
 * first scan.
 */
export async function checkParts(
  table: Table,
  { parts, references }: Blobs,
  scanAgain: (add: (item: Item) => void) => Promise<void>,
  repair: boolean,
): Promise<Problem[]> {
  const before = await listLeftovers(table)
  const suspects = [...parts].filter(([name]) => !references.has(name) && !before.has(name))
  if (suspects.length === 0) return []
  const second = openBlobs()
  await scanAgain(second.add)
  const after = await listLeftovers(table)
  const problems: Problem[] = []
  for (const [name, keys] of suspects) {
    if (second.references.has(name) || after.has(name) || !second.parts.has(name)) continue
    if (repair) await table.removeMany(keys)
    const message = `no record refers to it, but ${keys.length} parts of it are stored.`
    problems.push({ subject: `large text ${name}`, message, isRepaired: repair })
  }
  return problems
}

/** Records whose text lacks parts. Nothing can repair them: the parts are stored nowhere else. */
export async function checkReferences(table: Table, { parts, references }: Blobs): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const { key, ref } of references.values()) {
    if ((parts.get(ref.name)?.length ?? 0) >= ref.parts) continue
    const keys = Array.from({ length: ref.parts }, (_, n) => blobPartKey(ref.name, n))
    const missing = ref.parts - (await table.findMany(keys)).length
    const [item] = await table.findMany([key])
    const isReferring = item && WithBlob.safeParse(item).data?.blob.name === ref.name
    if (!isReferring || missing === 0) continue
    const message = `${missing} of the ${ref.parts} parts of its large text are missing. It cannot be restored.`
    problems.push({ subject: labelOf(item), message, key, isRepaired: false })
  }
  return problems
}

function labelOf(item: Item): string {
  const owners = RECORD_TYPES.flatMap(type => {
    const owner = type.ownerOf(item)
    return owner ? [type.labelOf(owner)] : []
  })
  return owners[0] ?? `${item.pk} ${item.sk}`
}

/** The post of comments, and all comments above each, exist. The service deletes the rest in steps. */
export function checkThread(context: Context, postId: number, repair: boolean): Promise<Problem[]> {
  return retryOnConflict(async () => {
    const { table } = context.target
    const problem = await problemOfThread(table, postId)
    if (!problem) return []
    // Two reads differ while the service is deleting these comments.
    const again = await problemOfThread(table, postId)
    if (!isDeepStrictEqual(problem, again)) throw new ConditionFailed([CONFLICT])
    const { ids, message, paths } = problem
    if (repair) {
      const body = (path: number[]) => ({ kind: 'comments', post_id: postId, path }) as const
      const messages = paths.map(path => ({ queue: 'jobs', body: body(path) }) as const)
      await unitOfWorkOf(context).commit({ actions: [], messages })
    }
    return [{ subject: `post ${postId}`, message, found: ids, isRepaired: repair }]
  })
}

/** `paths`: those of the deleted comments, or the empty one for a deleted post. */
type ThreadProblem = { paths: number[][]; ids: number[]; message: string }

async function problemOfThread(table: Table, postId: number): Promise<ThreadProblem | undefined> {
  const comments = await table.query({ pk: threadPartition(postId) }, CommentState)
  if (comments.length === 0) return undefined
  if ((await table.findMany([postKey(postId)])).length === 0) {
    const message = `does not exist, but ${comments.length} comments on it do.`
    return { paths: [[]], ids: comments.map(({ id }) => id), message }
  }
  const existing = new Set(comments.map(({ id }) => id))
  const orphans = comments.filter(({ path }) => path.some(id => !existing.has(id)))
  if (orphans.length === 0) return undefined
  const missing = orphans.map(({ path }) => path.slice(0, path.findIndex(id => !existing.has(id)) + 1))
  return {
    paths: [...new Map(missing.map(path => [path.at(-1), path])).values()],
    ids: orphans.map(({ id }) => id),
    message: `${orphans.length} comments on it are replies to a deleted comment.`,
  }
}

/** An erasure removes the subscriptions before the account, so those of a missing account are left over. */
export async function checkWebhookOwner(
  context: Context,
  ownerId: number,
  repair: boolean,
): Promise<Problem[]> {
  const { table } = context.target
  if (await findUser(table, ownerId)) return []
  const all = await listWebhooks(table, ownerId)
  const counters = await table.findMany([webhooksOwnedKey(ownerId)])
  if (all.length + counters.length === 0) return []
  if (repair) {
    for (const { webhook } of all) await removeWebhook(unitOfWorkOf(context), { ownerId, id: webhook.id })
    await removeOwned(table, ownerId)
  }
  return [ofErased(ownerId, `${all.length} webhook subscriptions, or their number, are`, repair)]
}

export async function checkPendingOwner(
  { target: { table } }: Context,
  userId: number,
  repair: boolean,
): Promise<Problem[]> {
  const key = pendingKey(userId)
  if ((await findUser(table, userId)) || (await table.findMany([key])).length === 0) return []
  if (repair) await table.removeMany([key])
  return [ofErased(userId, 'the record of pending comments is', repair)]
}

function ofErased(userId: number, what: string, isRepaired: boolean): Problem {
  return { subject: `user ${userId}`, message: `does not exist, but ${what} left.`, isRepaired }
}

const Unfinished = z.object({ id: z.int(), email: z.string(), erasing_since: z.int() })

/** An account whose erasure has begun. Only the command can finish it, because it knows its options. */
export function unfinishedErasure(item: Item): Problem[] {
  if (kindOf(item.pk) !== ('USER' satisfies Kind)) return []
  const { data } = Unfinished.safeParse(item)
  if (!data) return []
  const message = `its erasure began at ${isoTime(data.erasing_since)} and has not ended. Unless it still runs, finish it: user erase ${data.email} --yes`
  return [{ subject: `user ${data.id}`, message, isRepaired: false }]
}

/** The sweep runs every minute. */
const OVERDUE_MS = 120_000
const SWEEP_MS = 40_000

/** Messages that the sweep should have sent. */
export async function checkOutbox({ target, nowMs }: Context, repair: boolean): Promise<Problem[]> {
  const { table, sender } = target
  const overdue = async () =>
    (await listLeftRows(table, nowMs)).filter(({ sinceMs }) => nowMs - sinceMs >= OVERDUE_MS)
  const rows = await overdue()
  const isSwept = repair && !target.isDetached
  if (isSwept) {
    await sweepOutbox({ table, sender, log: () => undefined, nowMs, hasTime: startDeadline(SWEEP_MS) })
  }
  const left = new Set((isSwept ? await overdue() : rows).map(({ queue }) => queue))
  const isWaiting = target.isIdle === true || target.isDetached === true
  return [...Map.groupBy(rows, ({ queue }) => queue)].map(([queue, ofQueue]) => ({
    subject: 'outbox',
    message: isWaiting
      ? `${ofQueue.length} messages for the queue ${queue} are queued. The service will send them once it runs.`
      : `${ofQueue.length} messages for the queue ${queue} have waited for more than ${OVERDUE_MS / 60_000} minutes.`,
    isQueued: isWaiting && !isSwept,
    found: ofQueue.length,
    isRepaired: isSwept && !left.has(queue),
  }))
}

/** The subscriptions with a secret that another key than the current one has sealed. */
export async function sealedBefore({ target }: Pick<Context, 'target'>): Promise<WebhookRef[]> {
  const entries = await listFanOutEntries(target.table)
  if (entries.length === 0) return []
  const environment = { PRIVATE_KEY: await target.privateKey() }
  const refs: WebhookRef[] = []
  for (const { owner_id: ownerId, id } of entries) {
    const webhook = await findWebhook(target.table, { ownerId, id })
    if (webhook && isSealedBefore(environment, webhook)) refs.push({ ownerId, id })
  }
  return refs
}

/** What the previous key has sealed is well until that key is removed. */
export async function checkSealed(context: Context, repair: boolean): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const ref of await sealedBefore(context)) {
    const subject = `webhook ${ref.id}`
    try {
      if (repair) {
        const environment = { PRIVATE_KEY: await context.target.privateKey() }
        await changeWebhook(unitOfWorkOf(context), ref, webhook => resealedWebhook(environment, webhook))
      }
      const message = 'its secret is sealed with a previous key.'
      problems.push({ subject, message, isRepaired: repair, isQueued: !repair })
    } catch (error) {
      if (!/cannot be decrypted|is not configured|is damaged/.test(String(error))) throw error
      const message = `its secret was sealed with a removed key: webhooks rotate-secret ${ref.id} --overlap-hours 0`
      problems.push({ subject, message, isRepaired: false })
    }
  }
  return problems
}
