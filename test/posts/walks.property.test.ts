// Walks from cursor to cursor while posts are published, removed, rescheduled and come due between the parts:
// an entry that is not touched is met exactly once.
import { describe, expect, it } from 'vitest'
import { checkRandom } from '../support/property.ts'
import { check, type Draft, type History, history, LISTS, type ReadPart, type Step, TITLES } from './walks.ts'

const TIME_MS = 2_000

const LIVE: Draft = { posted_at: -3, content_type: 'post', title: 'a' }
/** Posts and pages in public view and scheduled ones, some of which come due between the parts. */
const MIXED: Draft[] = (['post', 'page'] as const).flatMap(content_type => {
  const times = [-4, 2, -3, -3, 4, -2, 9, -4]
  return TITLES.map((title, n) => ({ content_type, title, posted_at: times[n] ?? 0 }))
})
const LIVE_PAGE: Draft = { ...LIVE, content_type: 'page', title: 'b' }

const BETWEEN: Step[][] = [
  [{ publish: LIVE }, { publish: LIVE_PAGE }, { wait: 3 }],
  [{ remove: 0 }, { remove: 15 }, { unpublish: 8 }],
  [{ reschedule: [5, -4] }, { reschedule: [2, 9] }, { rename: [11, 'zz'] }, { wait: 2 }],
]

/** Each kind of change between the parts of each list. */
const EVERY_CHANGE: History[] = LISTS.map((list, n) => ({
  list,
  perPage: 2,
  body: n % 2 === 0,
  drafts: MIXED,
  between: BETWEEN,
}))

describe('a walk from cursor to cursor', () => {
  it.each(EVERY_CHANGE)('meets each entry of $list once, with every kind of change', async history => {
    await check(history)
  })

  it('meets each entry that is not touched exactly once', () =>
    checkRandom(history, history => check(history), TIME_MS))
})

const HISTORY: History = {
  list: 'newest',
  perPage: 2,
  body: false,
  drafts: [LIVE, LIVE, LIVE, LIVE],
  between: [[{ publish: { ...LIVE, posted_at: 0 } }], [{ remove: 0 }]],
}

describe('the check of walks', () => {
  it('finds a list that is read by the number of its page', async () => {
    let page = 0
    const byNumber: ReadPart = async ({ per_page }, read) => {
      const { data } = await read({ per_page, page: ++page })
      return { data, cursor: { next: data.length === per_page ? 'the next page' : null } }
    }
    await expect(check(HISTORY, byNumber)).rejects.toThrow('2 times')
  })

  it('finds a walk that ends too early', async () => {
    const endsEarly: ReadPart = async (query, read) => ({ ...(await read(query)), cursor: { next: null } })
    await expect(check(HISTORY, endsEarly)).rejects.toThrow('0 times')
  })
})
