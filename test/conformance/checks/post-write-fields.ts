// "Post (admin write fields)".
import { isInvalid, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import type { Answer } from '../client.ts'
import { createCategory, createPost, family, inMs } from '../records.ts'
import type { Suite } from '../suite.ts'
import { at, each, equal, hold, integer, momentMs } from '../values.ts'

function create(suite: Suite, body: Record<string, unknown>): Promise<Answer> {
  return suite.admin('POST', '/admin/posts', { title: suite.unique('post'), ...body })
}

async function created(suite: Suite, body: Record<string, unknown>): Promise<Answer> {
  return succeeds(await create(suite, body))
}

export const POST_WRITE_FIELDS: Section = {
  part: 'contract',
  title: 'Post (admin write fields)',
  checks: [
    {
      name: 'a post without `title` is refused',
      proves: '| `title` | string | yes | |',
      run: async suite => {
        isInvalid(await suite.admin('POST', '/admin/posts', { body: '<p>No title.</p>' }))
        isInvalid(await suite.admin('POST', '/admin/posts', { title: 42 }))
      },
    },
    {
      name: 'a `slug` that another post has is refused',
      proves: '| `slug` | string | no | must not duplicate an existing slug (else 422) |',
      run: async suite => {
        const { first } = await family(suite)
        isInvalid(await create(suite, { slug: first.slug }))
        const slug = suite.unique('slug').toLowerCase().replaceAll(' ', '-')
        equal(await created(suite, { slug }), 'data.slug', slug)
      },
    },
    {
      name: '`body` is empty by default, and HTML reads back unchanged',
      proves: '| `body` | string (HTML) | no | default empty string |',
      run: async suite => {
        const empty = integer(await created(suite, {}), 'data.id')
        equal(await suite.admin('GET', `/admin/posts/${empty}`), 'data.body', '')
        const body = '<p class="a">Ünïcode & “quotes” &amp; <b>tags</b>\n\t</p>'
        const id = integer(await created(suite, { body }), 'data.id')
        equal(await suite.admin('GET', `/admin/posts/${id}`), 'data.body', body)
      },
    },
    {
      name: '`short_description` is a text',
      proves: '| `short_description` | string | no | |',
      run: async suite => {
        await created(suite, { short_description: 'In one sentence.' })
        isInvalid(await create(suite, { short_description: 5 }))
      },
    },
    {
      name: '`content_type` is `post` by default',
      proves: '| `content_type` | string | no | default `post` |',
      run: async suite => equal(await created(suite, {}), 'data.content_type', 'post'),
    },
    {
      name: '`is_published` is a boolean',
      proves: '| `is_published` | boolean | no | |',
      run: async suite => {
        const { slug } = await createPost(suite, { is_published: true, posted_at: inMs(-60_000) })
        succeeds(await suite.reader('GET', `/posts/${slug}`), 200)
        isInvalid(await create(suite, { is_published: 'perhaps' }))
      },
    },
    {
      name: '`posted_at` is a valid date, or null until it is published',
      proves:
        '| `posted_at` | string, ISO 8601 | no | must be a valid date; null is allowed and is replaced by the current time on publish |',
      run: async suite => {
        isInvalid(await create(suite, { posted_at: 'tomorrow or so' }))
        isInvalid(await create(suite, { posted_at: '2026-02-30T10:00:00Z' }))
        const id = integer(await created(suite, { posted_at: null }), 'data.id')
        const before = Date.now()
        succeeds(await suite.admin('POST', `/admin/posts/${id}/publish`))
        const post = succeeds(await suite.admin('GET', `/admin/posts/${id}`), 200)
        // The clocks of two machines may differ by minutes.
        const distance = Math.abs(momentMs(post, 'data.posted_at') - before)
        hold(
          distance < 600_000,
          `\`posted_at\` of a post published just now is ${at(post, 'data.posted_at')}.`,
        )
      },
    },
    {
      name: '`seo_title` has at most 60 characters',
      proves: '| `seo_title` | string | no | max 60 characters |',
      run: async suite => {
        equal(await created(suite, { seo_title: 'é'.repeat(60) }), 'data.seo_title', 'é'.repeat(60))
        isInvalid(await create(suite, { seo_title: 'é'.repeat(61) }))
      },
    },
    {
      name: '`meta_desc` has at most 155 characters',
      proves: '| `meta_desc` | string | no | max 155 characters |',
      run: async suite => {
        equal(await created(suite, { meta_desc: 'é'.repeat(155) }), 'data.meta_desc', 'é'.repeat(155))
        isInvalid(await create(suite, { meta_desc: 'é'.repeat(156) }))
      },
    },
    {
      name: '`category_ids` attaches the post to these categories',
      proves: '| `category_ids` | array of integers | no | ids of categories to attach |',
      run: async suite => {
        const attached = [await createCategory(suite), await createCategory(suite)]
        const expected = attached.map(({ id }) => id).toSorted((one, other) => one - other)
        const live = { is_published: true, posted_at: inMs(-60_000) }
        const { slug } = await createPost(suite, { ...live, category_ids: expected })
        const single = succeeds(await suite.reader('GET', `/posts/${slug}`), 200)
        const ids = each(single, 'data.categories', 'id', integer).toSorted((one, other) => one - other)
        hold(`${ids}` === `${expected}`, `The post is in the categories ${ids}, and not in ${expected}.`)
        isInvalid(await create(suite, { category_ids: 'news' }))
      },
    },
  ],
  notShown: ['Allowed values of `content_type` other than `post`: not shown.'],
}
