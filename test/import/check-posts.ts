// Reads all posts as a static build does, and compares them with the source: order, totals, every byte.
import * as z from 'zod/mini'
import type { Client } from './client.ts'
import type { SourcePost } from './source.ts'

const Item = z.object({ id: z.int(), slug: z.string(), posted_at: z.string(), body: z.optional(z.string()) })
type Item = z.infer<typeof Item>
const PER_PAGE = 100
/** How many of the posts with the largest bodies are also read one by one. */
const READ_SINGLY = 10

/** `totals` of all answers with the items. */
type PostsRead = { items: Item[]; totals: number[] }

export type Report = { requests: number; halved: number; problems: string[] }

/** @param categorySlugs by the category's name in the source. */
export async function checkPosts(
  client: Client,
  posts: SourcePost[],
  categorySlugs: Map<string, string>,
): Promise<Report> {
  const report: Report = { requests: 0, halved: 0, problems: [] }
  const due = posts.filter(({ posted_at }) => Date.parse(posted_at) <= Date.now())
  const all = await walk(client, 'posts?include=body', report)
  compare('posts', due, all, report)

  const bodies = new Map(due.map(({ slug, body }) => [slug, body]))
  for (const { slug, body } of all.items) {
    if (bodies.get(slug) !== body) report.problems.push(`${slug}: the body differs`)
  }
  for (const { slug, body } of due.toSorted((a, b) => b.body.length - a.body.length).slice(0, READ_SINGLY)) {
    const single = await client.need(Item, 'GET', `posts/${encodeURIComponent(slug)}`)
    if (single.body !== body) report.problems.push(`${slug}: the body differs when read alone`)
  }

  const counts = new Map(
    (
      await client.need(z.array(z.object({ slug: z.string(), posts_count: z.int() })), 'GET', 'categories')
    ).map(({ slug, posts_count }) => [slug, posts_count]),
  )
  for (const [name, slug] of categorySlugs) {
    const own = due.filter(({ category }) => category === name)
    compare(`category ${slug}`, own, await walk(client, `categories/${slug}/posts?`, report), report)
    if (counts.get(slug) !== own.length) {
      report.problems.push(`category ${slug}: posts_count ${counts.get(slug)}`)
    }
  }
  return report
}

/** Reads every page. If a page is too large for an answer, it reads its two halves instead. */
async function walk(client: Client, path: string, report: Report): Promise<PostsRead> {
  const read: PostsRead = { items: [], totals: [] }
  for (let page = 1, last = 1; page <= last; page++) {
    const { items, totals } = await pageOf(client, path, page, PER_PAGE, report)
    read.items.push(...items)
    read.totals.push(...totals)
    if (page === 1) last = Math.ceil((totals[0] ?? 0) / PER_PAGE)
  }
  return read
}

async function pageOf(
  client: Client,
  path: string,
  page: number,
  perPage: number,
  report: Report,
): Promise<PostsRead> {
  report.requests++
  const answer = await client.request('GET', `${path}&page=${page}&per_page=${perPage}`.replace('?&', '?'))
  if (answer.success) {
    return { items: z.array(Item).parse(answer.data), totals: [answer.pagination?.total ?? -1] }
  }
  if (!answer.errors?.fields?.per_page || perPage === 1) throw new Error(JSON.stringify(answer))
  report.halved++
  const half = perPage / 2
  if (!Number.isInteger(half)) return await oneByOne(client, path, page, perPage, report)
  return await join([2 * page - 1, 2 * page].map(n => pageOf(client, path, n, half, report)))
}

async function oneByOne(client: Client, path: string, page: number, perPage: number, report: Report) {
  const numbers = Array.from({ length: perPage }, (_, n) => (page - 1) * perPage + n + 1)
  return await join(numbers.map(n => pageOf(client, path, n, 1, report)))
}

async function join(pages: Promise<PostsRead>[]): Promise<PostsRead> {
  const read = await Promise.all(pages)
  return { items: read.flatMap(({ items }) => items), totals: read.flatMap(({ totals }) => totals) }
}

/** Expects the newest posts first, and posts of the same second by descending id. */
function compare(
  name: string,
  expected: SourcePost[],
  { items: read, totals }: PostsRead,
  { problems }: Report,
): void {
  const wrong = new Set(totals.filter(total => total !== expected.length))
  if (wrong.size > 0) problems.push(`${name}: a total of ${[...wrong]}, not ${expected.length}`)
  if (read.length !== expected.length) {
    problems.push(`${name}: ${read.length} posts, not ${expected.length}`)
  }
  const slugs = new Set(read.map(({ slug }) => slug))
  for (const { slug } of expected) if (!slugs.has(slug)) problems.push(`${name}: ${slug} is missing`)
  if (slugs.size !== read.length) problems.push(`${name}: a post is listed twice`)
  const dates = new Map(
    expected.map(({ slug, posted_at }) => [slug, Math.floor(Date.parse(posted_at) / 1000)]),
  )
  for (const [n, item] of read.entries()) {
    const next = read[n + 1]
    const time = Date.parse(item.posted_at) / 1000
    if (time !== dates.get(item.slug)) problems.push(`${name}: ${item.slug} has the date ${item.posted_at}`)
    const nextTime = next && Date.parse(next.posted_at) / 1000
    if (next && nextTime !== undefined && (time < nextTime || (time === nextTime && item.id < next.id))) {
      problems.push(`${name}: ${item.slug} stands before ${next.slug}`)
    }
  }
}
