// How much there is of everything: from the roots of lists, so that it costs the same on a large site.
import { USERS } from '../../../shared/accounts/user-lists.ts'
import { countedCategories } from '../../../shared/categories/counted.ts'
import type { ContentType } from '../../../shared/posts/fields.ts'
import { adminList } from '../../../shared/posts/places.ts'
import { listWaiting, type ScheduledRow } from '../../../shared/posts/scheduled.ts'
import type { Table } from '../../../shared/table/client.ts'
import { countOf, type List, rootAttributes } from '../../../shared/table/counted-list.ts'
import { listSubscribers } from '../../../shared/webhooks/store.ts'
import { command } from '../command.ts'

const count = async (table: Table, list: List): Promise<number> => {
  const root = await table.find(list.root, rootAttributes)
  return root ? countOf(root, 0) : 0
}

/** Every record is in its admin list, every one that is not published in the drafts, too. */
const byStatus = async (table: Table, type: ContentType, waiting: ScheduledRow[]) => {
  const [all, draft] = await Promise.all([
    count(table, adminList(false, type)),
    count(table, adminList(true, type)),
  ])
  const scheduled = waiting.filter(row => row.content_type === type).length
  return { published: Math.max(0, all - draft - scheduled), scheduled, draft, total: all }
}

const counts = command({
  name: 'counts',
  summary: 'Posts and pages by status, users, subscriptions, and the published posts of each category',
  run: async (_, { target: { table }, nowMs, nowSeconds }) => {
    const waiting = await listWaiting(table, nowSeconds)
    const [posts, pages, users, subscribers, categories] = await Promise.all([
      byStatus(table, 'post', waiting),
      byStatus(table, 'page', waiting),
      count(table, USERS),
      listSubscribers(table),
      countedCategories(table, nowMs),
    ])
    const active = subscribers.filter(({ is_active }) => is_active).length
    const webhooks = { active, paused: subscribers.length - active, total: subscribers.length }
    const lineOf = ([name, number]: [string, number]) => `${name}\t${number}`
    const under = (what: string, numbers: Record<string, number>) =>
      Object.entries(numbers).map(([name, number]) => lineOf([`${what} ${name}`, number]))
    return {
      lines: [
        ...under('posts', posts),
        ...under('pages', pages),
        lineOf(['users', users]),
        ...under('webhooks', webhooks),
        ...categories.map(({ slug, posts_count }) => lineOf([`category ${slug}`, posts_count])),
      ],
      json: {
        posts,
        pages,
        users,
        webhooks,
        categories: categories.map(({ id, name, slug, posts_count }) => ({ id, name, slug, posts_count })),
      },
    }
  },
})

export const countsCommands = [counts]
