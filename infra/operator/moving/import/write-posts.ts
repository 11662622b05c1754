// Writes prepared posts, several in one transaction, while the next ones are prepared.
import { findCategoryNames } from '../../../../shared/categories/store/names.ts'
import { ALREADY_IMPORTED, claimOrigin } from '../../../../shared/imports/origins.ts'
import { commitPosts, type PostWrite } from '../../../../shared/posts/commands/commit.ts'
import { SLUG_TAKEN } from '../../../../shared/slugs/reserve.ts'
import { ConditionFailed } from '../../../../shared/table/action.ts'
import { failedAs } from '../../../../shared/table/conditions.ts'
import { retryOnConflict } from '../../../../shared/table/retry-on-conflict.ts'
import type { ImportIndex } from './import-index.ts'
import { type ImportJob, TooManyActions } from './job.ts'
import type { PreparedPost } from './prepare-post.ts'

export type PostWriter = {
  /** Waits while many posts are to be written. Throws the error of an earlier post. */
  add: (post: PreparedPost) => Promise<void>
  /** Ends when all posts are written. */
  flush: () => Promise<void>
}

/** Posts of one window share their lists, of which each takes two updates in a transaction. */
const WINDOW = 200
const MAX_WAITING = 300
/** A transaction has 100 actions, of which a post takes about ten. */
const POSTS_AT_ONCE = { first: 6, most: 12 }

export function openPostWriter(job: ImportJob, index: ImportIndex): PostWriter {
  const waiting: PreparedPost[] = []
  let running: Promise<void> | undefined
  let failure: { error: unknown } | undefined
  let atOnce = POSTS_AT_ONCE.first

  const writeWaiting = async (least: number): Promise<void> => {
    while (waiting.length >= least) {
      const window = waiting.splice(0, WINDOW).sort(byLists)
      while (window.length > 0) {
        const batch = window.splice(0, atOnce)
        const isWhole = await writeSome(job, index, batch)
        atOnce = isWhole ? withOneMore(atOnce, batch.length, job.actionsOfLast()) : Math.max(1, atOnce - 1)
      }
    }
  }

  const start = (least: number) => {
    running ??= writeWaiting(least)
      .catch(error => {
        failure ??= { error }
      })
      .finally(() => {
        running = undefined
      })
    return running
  }

  const add = async (post: PreparedPost): Promise<void> => {
    waiting.push(post)
    const writing = waiting.length >= WINDOW ? start(WINDOW) : undefined
    if (writing && waiting.length >= MAX_WAITING) await writing
    if (failure) throw failure.error
  }

  const flush = async (): Promise<void> => {
    await running
    await start(1)
    if (failure) throw failure.error
  }
  return { add, flush }
}

/** Those in the same lists stand together. */
function byLists(a: PreparedPost, b: PreparedPost): number {
  const [left, right] = [listsOf(a), listsOf(b)]
  return left === right ? a.id - b.id : left < right ? -1 : 1
}

function listsOf({ item: { value }, write: { after } }: PreparedPost): string {
  const categories = after?.category_ids.toSorted((a, b) => a - b) ?? []
  return `${value.content_type} ${value.is_published} ${categories.join(' ')}`
}

const MAX_ACTIONS = 100

/** One more if there was room for it. */
function withOneMore(atOnce: number, written: number, actions: number): number {
  const fits = written === atOnce && actions + actions / written <= MAX_ACTIONS
  return fits ? Math.min(POSTS_AT_ONCE.most, atOnce + 1) : atOnce
}

/** Returns false if the posts were too many for one transaction. */
async function writeSome(job: ImportJob, index: ImportIndex, posts: PreparedPost[]): Promise<boolean> {
  try {
    await commit(job, posts)
  } catch (error) {
    const [only, ...others] = posts
    if (!only || (others.length === 0 && !(error instanceof ConditionFailed))) throw error
    if (others.length === 0) {
      reportFailed(job, only, error)
      return true
    }
    const isSplit = error instanceof TooManyActions || error instanceof ConditionFailed
    if (!isSplit) throw error
    const half = Math.ceil(posts.length / 2)
    await writeSome(job, index, posts.slice(0, half))
    await writeSome(job, index, posts.slice(half))
    return !(error instanceof TooManyActions)
  }
  for (const { item, id, doc, notes } of posts) {
    job.ids.set(item.key, id)
    job.report.add({
      outcome: 'made',
      kind: kindOf(item),
      id,
      label: item.label,
      reason: notes.join(' ') || undefined,
    })
    await index.add(id, doc)
  }
  return true
}

function kindOf({ value }: PreparedPost['item']): string {
  return value.content_type
}

async function commit(job: ImportJob, posts: PreparedPost[]): Promise<void> {
  let writes: PostWrite[] = posts.map(({ write }) => write)
  await retryOnConflict(async () => {
    const work = job.work()
    const withClaims: typeof work = {
      ...work,
      commit: (change, reply) => {
        const claims = posts.map(({ origin }) => claimOrigin(origin))
        return work.commit({ ...change, actions: [...claims, ...change.actions] }, reply)
      },
    }
    try {
      await commitPosts(withClaims, writes)
    } catch (error) {
      // A category was deleted since the post was prepared.
      if (error instanceof ConditionFailed && error.reasons.some(reason => reason.startsWith('no-list:'))) {
        writes = await withExistingCategories(job, writes)
      }
      throw error
    }
  })
}

async function withExistingCategories({ table }: ImportJob, writes: PostWrite[]): Promise<PostWrite[]> {
  const ids = new Set(writes.flatMap(({ after }) => after?.category_ids ?? []))
  const existing = await findCategoryNames(table, ids)
  return writes.map(write => {
    const { after } = write
    return after
      ? { ...write, after: { ...after, category_ids: after.category_ids.filter(id => existing.has(id)) } }
      : write
  })
}

function reportFailed({ report }: ImportJob, { item }: PreparedPost, error: unknown): void {
  const kind = kindOf(item)
  const { label } = item
  if (failedAs(error, ALREADY_IMPORTED)) {
    report.add({ outcome: 'skipped', kind, label, reason: 'Another import made it at the same time.' })
  } else if (failedAs(error, SLUG_TAKEN)) {
    report.add({ outcome: 'skipped', kind, label, reason: 'Its slug is taken.' })
  } else {
    throw error
  }
}
