// "States and transitions: Post", and "Admin endpoints" of posts, which change them.
import { equal, fails, hold, succeeds } from '../answer.ts'
import type { Section } from '../check.ts'
import { createLivePost, createPost, family, inMs } from '../records.ts'
import type { Suite } from '../suite.ts'
import { each, integer, itemsOf, momentMs, text } from '../values.ts'

const UNKNOWN = '/admin/posts/999999999'

async function statusOf(suite: Suite, slug: string): Promise<number> {
  return (await suite.reader('GET', `/posts/${slug}`)).status
}

/** No public list and no single view shows a draft or a scheduled post. */
export async function visibility(suite: Suite): Promise<void> {
  const { category, word, first, draft, scheduled } = await family(suite)
  hold((await statusOf(suite, first.slug)) === 200, 'A published post is hidden.')
  for (const slug of [draft.slug, scheduled.slug, `${first.slug}-unknown`]) {
    fails(await suite.reader('GET', `/posts/${slug}`), 404, 'NOT_FOUND')
    fails(await suite.reader('GET', `/posts/${slug}/related`), 404, 'NOT_FOUND')
  }
  const lists = {
    [`/posts?category=${category.slug}&per_page=100`]: 'data',
    [`/categories/${category.slug}/posts?per_page=100`]: 'data',
    [`/posts?q=${word}&per_page=100`]: 'data',
    [`/search?q=${word}`]: 'data.posts',
    [`/posts/${first.slug}/related`]: 'data',
  }
  for (const [path, items] of Object.entries(lists)) {
    const answer = succeeds(await suite.reader('GET', path), 200)
    const ids = each(answer, items, 'id', integer)
    for (const { id, slug } of [draft, scheduled]) {
      hold(!ids.includes(id), `${answer.request} shows the post ${slug}.`)
    }
  }
  const all = succeeds(await suite.reader('GET', '/posts?per_page=100'), 200)
  for (const item of itemsOf(all, 'data')) {
    const isOver = momentMs(all, `${item}.posted_at`) < Date.now() + 60_000
    hold(isOver, `${all.request} shows ${text(all, `${item}.slug`)} before its date.`)
  }
}

async function creation(suite: Suite): Promise<void> {
  for (const is_published of [true, false]) {
    const title = suite.unique('post')
    const fields = { title, body: '<p>New.</p>', seo_title: 'Seo', meta_desc: 'Meta' }
    const body = { ...fields, posted_at: inMs(-60_000), is_published }
    const answer = succeeds(await suite.admin('POST', '/admin/posts', body), 201)
    for (const [name, value] of Object.entries(fields)) equal(answer, `data.${name}`, value)
    integer(answer, 'data.id')
    const status = await statusOf(suite, text(answer, 'data.slug'))
    hold(status === (is_published ? 200 : 404), `With is_published ${is_published}, the post is ${status}.`)
  }
}

async function publishing(suite: Suite): Promise<void> {
  const posted_at = inMs(-5 * 86_400_000)
  for (const body of [{}, { posted_at }]) {
    const { id, slug } = await createPost(suite, body)
    succeeds(await suite.admin('POST', `/admin/posts/${id}/publish`), 200)
    const answer = succeeds(await suite.reader('GET', `/posts/${slug}`), 200)
    const ms = momentMs(answer, 'data.posted_at')
    hold(!('posted_at' in body) || ms === Date.parse(posted_at), 'A date that was set has changed.')
  }
  fails(await suite.admin('POST', `${UNKNOWN}/publish`), 404, 'NOT_FOUND')
}

async function unpublishing(suite: Suite): Promise<void> {
  const post = await createLivePost(suite)
  hold((await statusOf(suite, post.slug)) === 200, 'A published post is hidden.')
  succeeds(await suite.admin('POST', `/admin/posts/${post.id}/unpublish`), 200)
  hold((await statusOf(suite, post.slug)) === 404, 'An unpublished post is public.')
  const shown = each(succeeds(await suite.reader('GET', '/posts'), 200), 'data', 'id', integer)
  hold(!shown.includes(post.id), 'GET /api/v1/posts shows an unpublished post.')
  equal(await suite.admin('GET', `/admin/posts/${post.id}`), 'data.title', post.title)
  const drafts = succeeds(await suite.admin('GET', '/admin/posts?drafts_only=true&per_page=100'), 200)
  const isWhole = integer(drafts, 'pagination.total') <= 100
  const ids = each(drafts, 'data', 'id', integer)
  hold(!isWhole || ids.includes(post.id), `${drafts.request} does not list the post.`)
  fails(await suite.admin('POST', `${UNKNOWN}/unpublish`), 404, 'NOT_FOUND')
}

async function deletion(suite: Suite): Promise<void> {
  const { id, slug } = await createLivePost(suite)
  succeeds(await suite.admin('DELETE', `/admin/posts/${id}`))
  hold((await statusOf(suite, slug)) === 404, 'A deleted post is public.')
  for (const method of ['GET', 'DELETE']) {
    fails(await suite.admin(method, `/admin/posts/${id}`), 404, 'NOT_FOUND')
  }
}

export const POST_STATES: Section = {
  part: 'contract',
  title: 'States of a post',
  checks: {
    'States: draft (`is_published=false`), published (`is_published=true`), scheduled (published with `posted_at` in the future; hidden from public endpoints like a draft).':
      visibility,
    '| any | `POST /api/v1/admin/posts` | valid body | value of `is_published` in the request | 201 with created post |':
      creation,
    '| draft | `POST /api/v1/admin/posts/{id}/publish` | post exists | published | `is_published=true`; if `posted_at` is null it is set to now; event `post.published` fires |':
      publishing,
    '| published | `POST /api/v1/admin/posts/{id}/unpublish` | post exists | draft | `is_published=false`; the record stays but public endpoints no longer return it |':
      unpublishing,
    '| any | `DELETE /api/v1/admin/posts/{id}` | post exists | deleted | permanent removal, no soft delete by default |':
      deletion,
    'Public visibility rule: public post endpoints return only published posts whose `posted_at` is not in the future; others yield 404.':
      visibility,
  },
  notShown: [
    'Automatic publishing of scheduled posts: not shown (the `post.published` event description states that a scheduled publish also fires it).',
    'Statuses of support tickets (the event text mentions open and resolved) and of comments (pending, approved): transitions not shown; full status values not shown.',
  ],
}

export const ADMIN_POSTS: Section = {
  part: 'contract',
  title: 'Admin endpoints of posts',
  checks: {
    '| GET | `/api/v1/admin/posts` | optional `drafts_only` (`true` restricts to drafts); lists ALL posts incl. drafts and scheduled; pagination parameters as for public list (assumed same list contract: not shown) | list of posts |':
      async suite => {
        const { draft, scheduled, first } = await family(suite)
        const all = succeeds(await suite.admin('GET', '/admin/posts?per_page=100'), 200)
        const ids = each(all, 'data', 'id', integer)
        // A list of more than one page may have the newest posts at its end.
        const isWhole = integer(all, 'pagination.total') <= 100
        for (const { id, slug } of [draft, scheduled, first]) {
          hold(!isWhole || ids.includes(id), `${all.request} does not list ${slug}.`)
        }
        const drafts = succeeds(await suite.admin('GET', '/admin/posts?drafts_only=true&per_page=100'), 200)
        const draftIds = each(drafts, 'data', 'id', integer)
        hold(!draftIds.includes(first.id), `${drafts.request} lists the published post ${first.slug}.`)
        hold(draftIds.length > 0, `${drafts.request} lists no draft.`)
      },
    '| POST | `/api/v1/admin/posts` | post write fields; `title` required | 201 + created post |': creation,
    '| GET | `/api/v1/admin/posts/{id}` | numeric id, not slug; includes drafts | post |': async suite => {
      const { draft } = await family(suite)
      equal(succeeds(await suite.admin('GET', `/admin/posts/${draft.id}`), 200), 'data.slug', draft.slug)
      fails(await suite.admin('GET', `/admin/posts/${draft.slug}`), 404, 'NOT_FOUND')
    },
    '| PATCH | `/api/v1/admin/posts/{id}` | any subset of write fields | updated post |': async suite => {
      const { id, slug, title } = await createPost(suite, { body: '<p>Kept.</p>', seo_title: 'Old' })
      const answer = succeeds(await suite.admin('PATCH', `/admin/posts/${id}`, { seo_title: 'New' }), 200)
      const read = succeeds(await suite.admin('GET', `/admin/posts/${id}`), 200)
      equal(answer, 'data.seo_title', 'New')
      for (const [name, value] of Object.entries({ slug, title, body: '<p>Kept.</p>', seo_title: 'New' })) {
        equal(read, `data.${name}`, value)
      }
      fails(await suite.admin('PATCH', UNKNOWN, { title: 'No' }), 404, 'NOT_FOUND')
    },
    '| DELETE | `/api/v1/admin/posts/{id}` | none | permanent deletion |': deletion,
    '| POST | `/api/v1/admin/posts/{id}/publish` | none | sets `is_published=true`, sets `posted_at` to now if null, fires `post.published` |':
      publishing,
    '| POST | `/api/v1/admin/posts/{id}/unpublish` | none | sets `is_published=false` |': unpublishing,
  },
  notShown: ['pagination parameters as for public list (assumed same list contract: not shown)'],
}
