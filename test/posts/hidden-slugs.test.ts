// Neither the answer nor its cost shows whether a slug is unknown or belongs to a hidden post.
import { beforeAll, describe, expect, it } from 'vitest'
import { comments, guestComments, ownComments } from '../../shared/comments/contract.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { posts } from '../../shared/posts/contract.ts'
import type { PostInput } from '../../shared/posts/fields.ts'
import { setRuntime } from '../../shared/runtime/runtime.ts'
import { saveSettings } from '../../shared/site/commands.ts'
import { callOf, openChain } from '../support/chain.ts'
import { noise } from '../support/noise.ts'
import { contentIsRemembered } from '../support/remembered.ts'
import { use } from '../support/use.ts'
import { unitOfWorkOn } from '../support/work.ts'

const callPublic = callOf((await import('../../functions/public.ts')).handler)
const callCommunity = callOf((await import('../../functions/community.ts')).handler)
const callMe = callOf((await import('../../functions/me.ts')).handler)

const chain = use(() => openChain({ LIMIT_SCALE: '1000' }))
/** A user who may comment, but not see hidden posts. */
let commenter: { token: string }
/** The slugs that only admins may know, by a description of their posts. */
const hiddenSlugs: Record<string, string> = {}
beforeAll(async () => {
  setRuntime(chain.runtime)
  const { table } = chain
  await saveSettings(table, { 'comments.allow_guest_comments': true })
  const work = unitOfWorkOn(table, chain.clock.nowMs)
  commenter = await chain.user(['user', 'comments:write'])
  const { id: author } = await chain.user(['admin'])
  const createHidden = async (what: string, input: Partial<PostInput>) => {
    const slug = what.replaceAll(' ', '-')
    await createPost(work, { title: what, slug, ...input }, author)
    hiddenSlugs[what] = slug
  }
  const inAnHour = work.nowSeconds + 3_600
  await createHidden('a draft', {})
  await createHidden('a scheduled post', { is_published: true, posted_at: inAnHour })
  await createHidden('a draft of a page', { content_type: 'page' })
  await createHidden('a draft with a body in parts', { body: noise(400_000) })
  await contentIsRemembered(table, chain.clock.nowMs)
})

const comment = { author_name: 'Ada', author_email: 'ada@example.com', body: 'Hello.' }

describe.each<[string, (slug: string) => ReturnType<typeof callPublic>]>([
  ['GET /api/v1/posts/{slug}', slug => callPublic(posts.getPost, { params: { slug } })],
  ['GET /api/v1/pages/{slug}', slug => callPublic(posts.getPage, { params: { slug } })],
  ['GET /api/v1/posts/{slug}/related', slug => callPublic(posts.listRelated, { params: { slug } })],
  ['GET /api/v1/posts/{slug}/comments', slug => callPublic(comments.listComments, { params: { slug } })],
  [
    'POST /api/v1/posts/{slug}/comments',
    slug => callCommunity(guestComments.createGuestComment, { params: { slug }, body: comment }),
  ],
  [
    'POST /api/v1/me/comments',
    slug => {
      const body = { post_slug: slug, body: comment.body }
      return callMe(ownComments.createOwnComment, { token: commenter.token, body })
    },
  ],
])('%s', (_, request) => {
  it('makes the same calls to the table for a hidden post as for an unknown slug', async () => {
    const costOf = async (slug: string) => {
      // The first request reads the settings, and what is remembered of public content.
      await request(slug)
      const { result, used } = await chain.measure(() => request(slug))
      return { status: result.status, calls: used.calls, roundTrips: used.roundTrips }
    }
    const unknown = await costOf('an-unknown-slug')
    expect(unknown.status).toBe(404)
    for (const [what, slug] of Object.entries(hiddenSlugs)) {
      expect([what, await costOf(slug)]).toEqual([what, unknown])
    }
  })
})
