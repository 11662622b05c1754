// How much there is of everything: from the roots of lists, so that it costs the same on a large site.
import { USERS } from '../../../shared/accounts/lists.ts'
import { countedCategories } from '../../../shared/categories/store/counted.ts'
import { STATUSES as COMMENT_STATUSES } from '../../../shared/comments/contract.ts'
import { adminList as commentList } from '../../../shared/comments/lists.ts'
import { SUBMISSIONS } from '../../../shared/contact/submission.ts'
import { countSetAside } from '../../../shared/events/set-aside.ts'
import { listWaitingRows } from '../../../shared/events/sweep-outbox.ts'
import { countOf, type List, rootAttributes } from '../../../shared/lists/counted-list.ts'
import { Status as SubscriberStatus } from '../../../shared/newsletter/contract.ts'
import { subscriberList } from '../../../shared/newsletter/lists.ts'
import type { ContentType } from '../../../shared/posts/fields.ts'
import { adminList } from '../../../shared/posts/lists.ts'
import { listWaiting, type ScheduledRow } from '../../../shared/posts/store/scheduled.ts'
import type { Table } from '../../../shared/table/client.ts'
import { STATUSES as TICKET_STATUSES } from '../../../shared/tickets/fields.ts'
import { ticketList } from '../../../shared/tickets/lists.ts'
import { listSubscribers } from '../../../shared/webhooks/store/webhooks.ts'
import { command } from '../command.ts'

type Numbers = Record<string, number>

async function count(table: Table, list: List): Promise<number> {
  const root = await table.find(list.root, rootAttributes)
  return root ? countOf(root, 0) : 0
}

/** A list for each status, and one of all. */
async function byList<Status extends string>(
  table: Table,
  statuses: readonly Status[],
  listOf: (status: Status | undefined) => List,
): Promise<Numbers> {
  const numbers = await Promise.all([...statuses, undefined].map(status => count(table, listOf(status))))
  return Object.fromEntries([...statuses, 'total'].map((name, n) => [name, numbers[n] ?? 0]))
}

/** Every record is in its admin list, every one that is not published in the drafts, too. */
async function byState(table: Table, type: ContentType, waiting: ScheduledRow[]): Promise<Numbers> {
  const [total, draft] = await Promise.all([
    count(table, adminList(false, type)),
    count(table, adminList(true, type)),
  ])
  const scheduled = waiting.filter(row => row.content_type === type).length
  return { published: Math.max(0, total - draft - scheduled), scheduled, draft, total }
}

/** `waiting`: messages that no queue has taken yet, as far as the oldest 1,600 tell. */
async function outboxByState(table: Table, nowMs: number): Promise<Numbers> {
  const [waiting, aside] = await Promise.all([listWaitingRows(table, nowMs, 0), countSetAside(table)])
  return { waiting: waiting.length, set_aside: aside.reduce((all, { rows }) => all + rows, 0) }
}

async function webhooksByState(table: Table): Promise<Numbers> {
  const all = await listSubscribers(table)
  const active = all.filter(({ is_active }) => is_active).length
  return { active, paused: all.length - active, total: all.length }
}

const counts = command({
  name: 'counts',
  summary: 'How much there is of everything, by status, and the published posts of each category',
  run: async (_, { target: { table }, nowMs, nowSeconds }) => {
    const waiting = await listWaiting(table, nowSeconds)
    const [posts, pages, comments, tickets, newsletter, webhooks, outbox, users, contact, categories] =
      await Promise.all([
        byState(table, 'post', waiting),
        byState(table, 'page', waiting),
        byList(table, COMMENT_STATUSES, commentList),
        byList(table, TICKET_STATUSES, ticketList),
        byList(table, SubscriberStatus.options, subscriberList),
        webhooksByState(table),
        outboxByState(table, nowMs),
        count(table, USERS),
        count(table, SUBMISSIONS),
        countedCategories(table, nowMs),
      ])
    const groups = { posts, pages, comments, tickets, newsletter, webhooks, outbox }
    return {
      lines: [
        ...Object.entries(groups).flatMap(([what, numbers]) =>
          Object.entries(numbers).map(([name, number]) => `${what} ${name.replace('_', ' ')}\t${number}`),
        ),
        `users\t${users}`,
        `contact\t${contact}`,
        ...categories.map(({ slug, posts_count }) => `category ${slug}\t${posts_count}`),
      ],
      json: {
        ...groups,
        users,
        contact,
        categories: categories.map(({ id, name, slug, posts_count }) => ({ id, name, slug, posts_count })),
      },
    }
  },
})

export const COUNTS_COMMANDS = [counts]
