// Imports posts and pages: looks for taken slugs, gives ids, prepares many at a time and hands them on.
import { slugKey } from '../../../../shared/table/design.ts'
import { nextIds } from '../../../../shared/table/next-id.ts'
import type { PostItem } from '../item.ts'
import type { ImportIndex } from './import-index.ts'
import { type ImportJob, isFree } from './job.ts'
import { preparePost } from './prepare-post.ts'
import { openPostWriter } from './write-posts.ts'

export type Posts = {
  add: (items: PostItem[]) => Promise<void>
  flush: () => Promise<void>
}

export function openPosts(job: ImportJob, index: ImportIndex): Posts {
  const writer = openPostWriter(job, index)
  /** Slugs of posts that are on their way. */
  const slugs = new Set<string>()

  const add = async (items: PostItem[]): Promise<void> => {
    const free = await withoutTaken(job, items, slugs)
    if (job.options.dryRun) {
      for (const item of free) reportDry(job, item)
      return
    }
    const ids = await idsFor(job, free)
    const prepared = await Promise.all(free.map((item, n) => preparePost(job, item, ids[n] ?? 0)))
    for (const post of prepared) await writer.add(post)
  }
  return { add, flush: writer.flush }
}

function reportDry({ report, ids }: ImportJob, { key, value, label, notes }: PostItem): void {
  ids.set(key, DRY_ID)
  report.add({ outcome: 'made', kind: value.content_type, label, reason: notes?.join(' ') })
}

const DRY_ID = Number.MAX_SAFE_INTEGER

async function withoutTaken(
  { table, report }: ImportJob,
  items: PostItem[],
  slugs: Set<string>,
): Promise<PostItem[]> {
  const found = await table.findMany(items.map(({ value }) => slugKey(value.slug)))
  const owners = new Map(found.map(({ pk, id }) => [pk, Number(id)]))
  return items.filter(({ value: { slug, content_type: kind }, label }) => {
    const owner = owners.get(slugKey(slug).pk)
    if (owner === undefined && !slugs.has(slug)) {
      slugs.add(slug)
      return true
    }
    const whose = owner === undefined ? 'another post of this source' : `post ${owner}`
    report.add({ outcome: 'skipped', kind, label, reason: `Its slug is that of ${whose}.` })
    return false
  })
}

async function idsFor({ table, reserved }: ImportJob, items: PostItem[]): Promise<number[]> {
  const kept = items.map(({ id }) => (isFree(reserved, 'post', id) ? id : undefined))
  const missing = kept.filter(id => id === undefined).length
  const fresh = missing > 0 ? await nextIds(table, 'post', missing) : []
  return kept.map(id => id ?? fresh.shift() ?? 0)
}
