// "Admin endpoints" of posts.
import { fails, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { createPost, family, inMs } from '../records.ts'
import { each, equal, hold, integer, list, momentMs, text } from '../values.ts'

export const ADMIN_POSTS: Section = {
  part: 'contract',
  title: 'Admin endpoints of posts',
  checks: [
    {
      name: 'GET /admin/posts lists all posts, and only drafts with `drafts_only=true`',
      proves:
        '| GET | `/api/v1/admin/posts` | optional `drafts_only` (`true` restricts to drafts); lists ALL posts incl. drafts and scheduled; pagination parameters as for public list (assumed same list contract: not shown) | list of posts |',
      run: async suite => {
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
    },
    {
      name: 'POST /admin/posts answers 201 with the created post',
      proves: '| POST | `/api/v1/admin/posts` | post write fields; `title` required | 201 + created post |',
      run: async suite => {
        const title = suite.unique('post')
        const fields = { title, body: '<p>New.</p>', seo_title: 'Seo', meta_desc: 'Meta' }
        const answer = succeeds(await suite.admin('POST', '/admin/posts', fields), 201)
        for (const [name, value] of Object.entries(fields)) equal(answer, `data.${name}`, value)
        integer(answer, 'data.id')
      },
    },
    {
      name: 'GET /admin/posts/{id} returns a post by its number, also a draft',
      proves: '| GET | `/api/v1/admin/posts/{id}` | numeric id, not slug; includes drafts | post |',
      run: async suite => {
        const { draft } = await family(suite)
        equal(succeeds(await suite.admin('GET', `/admin/posts/${draft.id}`), 200), 'data.slug', draft.slug)
        fails(await suite.admin('GET', `/admin/posts/${draft.slug}`), 404, 'NOT_FOUND')
      },
    },
    {
      name: 'PATCH /admin/posts/{id} changes what it is given, and nothing else',
      proves: '| PATCH | `/api/v1/admin/posts/{id}` | any subset of write fields | updated post |',
      run: async suite => {
        const { id, slug, title } = await createPost(suite, { body: '<p>Kept.</p>', seo_title: 'Old' })
        const answer = succeeds(await suite.admin('PATCH', `/admin/posts/${id}`, { seo_title: 'New' }), 200)
        const read = succeeds(await suite.admin('GET', `/admin/posts/${id}`), 200)
        equal(answer, 'data.seo_title', 'New')
        for (const [name, value] of Object.entries({ slug, title, body: '<p>Kept.</p>', seo_title: 'New' })) {
          equal(read, `data.${name}`, value)
        }
        fails(await suite.admin('PATCH', '/admin/posts/999999999', { title: 'No' }), 404, 'NOT_FOUND')
      },
    },
    {
      name: 'DELETE /admin/posts/{id} deletes for good',
      proves: '| DELETE | `/api/v1/admin/posts/{id}` | none | permanent deletion |',
      run: async suite => {
        const { id } = await createPost(suite)
        succeeds(await suite.admin('DELETE', `/admin/posts/${id}`))
        fails(await suite.admin('GET', `/admin/posts/${id}`), 404, 'NOT_FOUND')
      },
    },
    {
      name: 'POST /admin/posts/{id}/publish sets is_published, and a date only where there is none',
      proves:
        '| POST | `/api/v1/admin/posts/{id}/publish` | none | sets `is_published=true`, sets `posted_at` to now if null, fires `post.published` |',
      run: async suite => {
        const posted_at = inMs(-5 * 86_400_000)
        const { id, slug } = await createPost(suite, { posted_at })
        succeeds(await suite.admin('POST', `/admin/posts/${id}/publish`), 200)
        const answer = succeeds(await suite.reader('GET', `/posts/${slug}`), 200)
        hold(momentMs(answer, 'data.posted_at') === Date.parse(posted_at), 'A date that was set has changed.')
        text(answer, 'data.title')
      },
    },
    {
      name: 'POST /admin/posts/{id}/unpublish makes a draft',
      proves: '| POST | `/api/v1/admin/posts/{id}/unpublish` | none | sets `is_published=false` |',
      run: async suite => {
        const { id, slug } = await createPost(suite, { is_published: true, posted_at: inMs(-60_000) })
        succeeds(await suite.admin('POST', `/admin/posts/${id}/unpublish`), 200)
        fails(await suite.reader('GET', `/posts/${slug}`), 404, 'NOT_FOUND')
        const drafts = succeeds(await suite.admin('GET', '/admin/posts?drafts_only=true&per_page=100'), 200)
        const isWhole = integer(drafts, 'pagination.total') <= 100
        const ids = list(drafts, 'data').length > 0 ? each(drafts, 'data', 'id', integer) : []
        hold(!isWhole || ids.includes(id), `${drafts.request} does not list the post.`)
      },
    },
  ],
  notShown: ['pagination parameters as for public list (assumed same list contract: not shown)'],
}
