// What no reader sees leaves no trace: after each change of drafts, scheduled posts and their authors, every
// public answer is byte for byte the one before, with its ETag, the feed and its cursor.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { me } from '../../shared/accounts/contract.ts'
import { adminCategories } from '../../shared/categories/contract.ts'
import { changes } from '../../shared/changes/contract.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { ENDPOINTS } from '../support/endpoints.ts'
import { openFullChain } from '../support/full-chain.ts'
import { use } from '../support/use.ts'

const PUBLIC_READS = ENDPOINTS.filter(
  ({ name, endpoint }) => endpoint.method === 'GET' && endpoint.ability === null && !name.endsWith('/health'),
)
/** Further queries of an endpoint that has these parameters. */
const QUERIES: Record<string, string>[] = [
  { order: 'oldest', per_page: '2' },
  { include: 'body', per_page: '100' },
  { per_page: '1', page: '2' },
  { q: 'hidden' },
]

const Made = z.object({ data: z.object({ id: z.int(), slug: z.string() }) })
const Polled = z.object({ data: z.array(z.unknown()), cursor: z.object({ next: z.string() }) })

const chain = use(() => openFullChain())
let category: { id: number; slug: string }
let author: { id: number; token: string }
let since: string

async function sent(endpoint: Endpoint, ask: Parameters<typeof chain.send>[1]) {
  const answer = await chain.send(endpoint, ask)
  expect([answer.status < 300, answer.text]).toEqual([true, answer.text])
  return answer.text
}

async function makePost(members: Record<string, unknown>) {
  return Made.parse(JSON.parse(await sent(adminPosts.createPost, { body: members }))).data
}

function changePost(id: number, members: Record<string, unknown>) {
  return sent(adminPosts.changePost, { params: { id }, body: members })
}

function at(seconds: number): string {
  return new Date(Math.floor(chain.clock.nowMs / 1000 + seconds) * 1000).toISOString()
}

beforeAll(async () => {
  category = Made.parse(
    JSON.parse(await sent(adminCategories.createCategory, { body: { name: 'Hidden from readers' } })),
  ).data
  author = await chain.user(['user'])
  for (const content_type of ['post', 'page']) {
    for (const title of ['Public hidden words', 'Another public one', 'A third']) {
      await makePost({ title, content_type, is_published: true, category_ids: [category.id] })
    }
  }
  // The feed has some rows, and the cursor is older than all of them.
  const first = Polled.parse(JSON.parse(await sent(changes.listChanges, { token: '' })))
  since = first.cursor.next
  await makePost({ title: 'Since the cursor', is_published: true, category_ids: [category.id] })
  chain.clock.nowMs += 10_000
})

/** Every public answer: text and ETag. */
async function publicAnswers() {
  const answers: Record<string, unknown> = {}
  const ask = async (endpoint: Endpoint, query: Record<string, string>, params = {}) => {
    const { status, text, headers } = await chain.send(endpoint, { token: '', query, params })
    answers[`${endpoint.path} ${JSON.stringify({ ...query, ...params })}`] = [status, text, headers.ETag]
  }
  for (const { endpoint } of PUBLIC_READS) {
    const isSearch = endpoint.path.endsWith('/search')
    await ask(endpoint, isSearch ? { q: 'hidden' } : {})
    const ofCategory = endpoint.path.includes('/categories/{slug}')
    if (ofCategory) await ask(endpoint, {}, { slug: category.slug })
    for (const query of QUERIES) {
      const parts = Object.keys(query).every(name => takes(endpoint, name))
      if (parts) await ask(endpoint, query, ofCategory ? { slug: category.slug } : {})
    }
  }
  for (const include of ['item', 'body']) await ask(changes.listChanges, { since, include })
  return answers
}

function takes({ query }: Endpoint, name: string): boolean {
  return query instanceof z.ZodMiniObject && name in Object(query.shape)
}

type HiddenPost = { id: number }
/** Changes of what no reader sees: of a draft or a scheduled post, and how often each is tried. */
const EDITS: Record<string, (post: HiddenPost, n: number) => Promise<unknown>> = {
  'another title, text and slug': ({ id }, n) =>
    changePost(id, { title: `Hidden ${n}`, body: `<p>hidden ${n}</p>`, slug: `hidden-${id}-${n}` }),
  'other categories': ({ id }, n) => changePost(id, { category_ids: n % 2 ? [category.id] : [] }),
  'another kind': ({ id }, n) => changePost(id, { content_type: n % 2 ? 'page' : 'post' }),
  'another author': ({ id }) => changePost(id, { author_id: author.id }),
  'another name of its author': (_, n) =>
    sent(me.changeMe, { token: author.token, body: { name: `B ${n}` } }),
  'another picture of its author': (_, n) =>
    sent(me.changeMe, { token: author.token, body: { avatar: `https://a.example/${n}.png` } }),
  'another time of publication': ({ id }, n) => changePost(id, { posted_at: at(3_000 + n) }),
  'scheduled for the next second': ({ id }) => changePost(id, { posted_at: at(2), is_published: true }),
  scheduled: ({ id }) => changePost(id, { posted_at: at(3_000), is_published: true }),
  'published by its own endpoint for later': async ({ id }) => {
    await changePost(id, { posted_at: at(3_000) })
    await sent(adminPosts.publishPost, { params: { id } })
  },
  retracted: ({ id }) => sent(adminPosts.unpublishPost, { params: { id } }),
  'retracted in the last second': async ({ id }) => {
    await changePost(id, { posted_at: at(2), is_published: true })
    await changePost(id, { is_published: false })
  },
  'retracted a millisecond before its time': async ({ id }) => {
    const nowMs = chain.clock.nowMs
    const due = at(2)
    await changePost(id, { posted_at: due, is_published: true })
    chain.clock.nowMs = Date.parse(due) - 1
    await changePost(id, { is_published: false })
    chain.clock.nowMs = nowMs
  },
}
const NAMES = Object.keys(EDITS)

/** The cursor goes on for an hour, in which all of this happens. */
async function expectNoTrace(what: string, expected: unknown) {
  expect({ what, answers: await publicAnswers() }).toEqual({ what, answers: expected })
}

describe('every public answer', () => {
  it('is the same after each change of a draft or a scheduled post, in any order', async () => {
    const edits = fc.array(fc.constantFrom(...NAMES), { minLength: 8, maxLength: 8 })
    const [inOrder, ...random] = [NAMES, ...fc.sample(edits, 2)]
    let n = 0
    for (const names of [inOrder ?? [], ...random]) {
      const before = await publicAnswers()
      const post = await makePost({ title: 'Hidden', category_ids: [category.id], author_id: author.id })
      await expectNoTrace('created', before)
      for (const name of names) {
        await EDITS[name]?.(post, ++n)
        await expectNoTrace(`${name}, after ${names.join(', ')}`, before)
      }
      await sent(adminPosts.deletePost, { params: { id: post.id } })
      await expectNoTrace('deleted', before)
    }
  })

  it('is the same after a post has been scheduled and deleted', async () => {
    const before = await publicAnswers()
    const body = { title: 'Scheduled', category_ids: [category.id], is_published: true, posted_at: at(2) }
    const { id } = await makePost(body)
    await expectNoTrace('scheduled', before)
    await sent(adminPosts.deletePost, { params: { id } })
    await expectNoTrace('deleted', before)
  })

  it('differs once the post is public, so that the check above can fail', async () => {
    const before = await publicAnswers()
    await makePost({ title: 'Public', is_published: true })
    expect(await publicAnswers()).not.toEqual(before)
  })

  it('tells of a post that left public view in its second by name, and only of that one', async () => {
    const due = at(2)
    const post = await makePost({ title: 'In its second', is_published: true, posted_at: due })
    const { cursor } = Polled.parse(JSON.parse(await sent(changes.listChanges, { token: '' })))
    chain.clock.nowMs = Date.parse(due)
    await changePost(post.id, { is_published: false })
    const answer = await sent(changes.listChanges, { token: '', query: { since: cursor.next } })
    expect(Polled.parse(JSON.parse(answer)).data).toMatchObject([
      { type: 'post', id: post.id, change: 'removed' },
    ])
  })
})
