// Writes prepared posts, several in one transaction, while the next ones are prepared.
import { findCategoryNames } from '../../../../shared/categories/store/names.ts'
import { ALREADY_IMPORTED, claimOrigin } from '../../../../shared/imports/origins.ts'
import { commitPosts, type PostWrite } from '../../../../shared/posts/commands/commit.ts'
import { SLUG_TAKEN } from '../../../../shared/slugs/reserve.ts'
import { ConditionFailed } from '../../../../shared/table/action.ts'
import { failedAs } from '../../../../shared/table/conditions.ts'
import { retryOnConflict } from '../../../../shared/table/retry-on-conflict.ts'
import { type BatchSizes, byLists, openBatchSizes } from './batches.ts'
import type { ImportIndex } from './import-index.ts'
import { type ImportJob, TooManyActions } from './job.ts'
import type { PreparedPost } from './prepare-post.ts'

export type PostWriter = {
  /** Waits while many posts are to be written. Throws the error of an earlier post. */
  add: (post: PreparedPost) => Promise<void>
  /** Ends when all posts are written. */
  flush: () => Promise<void>
}

/** Posts of one window are sorted by their lists, of which each takes two updates in a transaction. */
const WINDOW = { posts: 500, characters: 20_000_000 }
/** This many more posts wait while a window is written. */
const MORE_WAITING = 200

export function openPostWriter(job: ImportJob, index: ImportIndex): PostWriter {
  const context: WriteContext = { job, index, sizes: openBatchSizes() }
  const waiting: PreparedPost[] = []
  let characters = 0
  let running: Promise<void> | undefined
  let failure: { error: unknown } | undefined

  const isFull = () => waiting.length >= WINDOW.posts || characters >= WINDOW.characters

  const writeWindow = async (): Promise<void> => {
    const window = waiting.splice(0, WINDOW.posts).sort(byLists)
    for (const { write } of window) characters -= write.body.length
    while (window.length > 0) {
      const batch = window.splice(0, context.sizes.countIn(window))
      await writeSome(context, batch)
    }
  }

  const start = (isWanted: () => boolean) => {
    const writeAll = async () => {
      while (isWanted()) await writeWindow()
    }
    running ??= writeAll()
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
    characters += post.write.body.length
    const writing = isFull() ? start(isFull) : undefined
    const isTooMuch = waiting.length >= WINDOW.posts + MORE_WAITING || characters >= 2 * WINDOW.characters
    if (writing && isTooMuch) await writing
    if (failure) throw failure.error
  }

  const flush = async (): Promise<void> => {
    await running
    await start(() => waiting.length > 0)
    if (failure) throw failure.error
  }
  return { add, flush }
}

type WriteContext = { job: ImportJob; index: ImportIndex; sizes: BatchSizes }

async function writeSome(context: WriteContext, posts: PreparedPost[]): Promise<void> {
  const { job, index, sizes } = context
  try {
    await commit(context, posts)
    sizes.fitted(posts, job.actionsOfLast())
  } catch (error) {
    const [only, ...others] = posts
    if (!only || (others.length === 0 && !(error instanceof ConditionFailed))) throw error
    if (others.length === 0) {
      reportFailed(job, only, error)
      return
    }
    const isSplit = error instanceof TooManyActions || error instanceof ConditionFailed
    if (!isSplit) throw error
    if (error instanceof TooManyActions) sizes.exceeded()
    const half = Math.ceil(posts.length / 2)
    await writeSome(context, posts.slice(0, half))
    await writeSome(context, posts.slice(half))
    return
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
}

function kindOf({ value }: PreparedPost['item']): string {
  return value.content_type
}

async function commit({ job }: WriteContext, posts: PreparedPost[]): Promise<void> {
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
