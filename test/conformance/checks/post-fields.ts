// "Post (list the service)", "Post (single, by slug)" and "Post (admin write fields)".
import { type Answer, absent, at, equal, hold, isInvalid, succeeds } from '../answer.ts'
import type { Check, Section } from '../check.ts'
import {
  createCategory,
  createLivePost,
  createPost,
  family,
  familyList,
  familyPost,
  includesFamily,
} from '../records.ts'
import type { Suite } from '../suite.ts'
import { absoluteUrl, each, integer, itemsOf, list, members, momentMs, text, textOrNull } from '../values.ts'

const FIELDS =
  'id title slug excerpt content_type featured_image author categories reading_time posted_at updated_at'
const SIZES = ['thumbnail', 'medium', 'large', 'original']

/** The family's posts, and what else is on the first page. */
async function lists(suite: Suite): Promise<Answer[]> {
  return [await familyList(suite), succeeds(await suite.reader('GET', '/posts'), 200)]
}

export const POST_FIELDS: Section = {
  part: 'contract',
  title: 'Post',
  checks: {
    '| `id` | integer | numeric id |': async suite => {
      await includesFamily(suite, await familyList(suite))
    },
    '| `title` | string | |': async suite => {
      const { first } = await family(suite)
      equal(await familyPost(suite), 'data.title', first.title)
    },
    '| `slug` | string | unique; public lookup key |': async suite => {
      const { first } = await family(suite)
      equal(await familyPost(suite), 'data.id', first.id)
      const slugs = each(await familyList(suite), 'data', 'slug', text)
      hold(new Set(slugs).size === slugs.length, `A slug is in the list twice: ${slugs.join(', ')}.`)
      const twin = await createPost(suite, { title: first.title })
      hold(twin.slug !== first.slug, `Two posts have the slug ${twin.slug}.`)
    },
    '| `excerpt` | string | list endpoints return the excerpt only |': async suite => {
      const answer = await familyList(suite)
      for (const excerpt of each(answer, 'data', 'excerpt', text)) {
        hold(!/<\w+[^>]*>/.test(excerpt), `An excerpt contains HTML: ${excerpt}`)
      }
      for (const item of itemsOf(answer, 'data')) absent(answer, `${item}.body`)
    },
    '| `content_type` | string | default `post` on creation |': async suite => {
      const answer = await familyList(suite)
      for (const item of itemsOf(answer, 'data')) equal(answer, `${item}.content_type`, 'post')
    },
    '| `featured_image` | object | keys `thumbnail`, `medium`, `large`, `original`; each is a complete absolute URL; may be empty for a post without image (clients test for presence) |':
      async suite => {
        for (const answer of await lists(suite)) {
          for (const item of itemsOf(answer, 'data')) {
            for (const size of Object.keys(members(answer, `${item}.featured_image`))) {
              hold(SIZES.includes(size), `${answer.request}: \`featured_image\` has the key ${size}.`)
              absoluteUrl(answer, `${item}.featured_image.${size}`)
            }
          }
        }
      },
    '| `author` | object | `name` (string), `avatar` (string or null) |': async suite => {
      for (const answer of await lists(suite)) {
        each(answer, 'data', 'author.name', text)
        each(answer, 'data', 'author.avatar', textOrNull)
      }
    },
    '| `categories` | array | items `{id: integer, name: string, slug: string}` |': async suite => {
      const answer = await familyList(suite)
      const { category } = await family(suite)
      for (const item of itemsOf(answer, 'data')) {
        hold(list(answer, `${item}.categories`).length === 1, `${answer.request}: not one category.`)
        hold(integer(answer, `${item}.categories.0.id`) === category.id, 'Another category is attached.')
        hold(text(answer, `${item}.categories.0.name`) === category.name, 'The category has another name.')
        hold(text(answer, `${item}.categories.0.slug`) === category.slug, 'The category has another slug.')
      }
    },
    '| `reading_time` | integer | minutes |': async suite => {
      const minutes = each(await familyList(suite), 'data', 'reading_time', integer)
      const areFew = minutes.every(value => value >= 0 && value < 60)
      hold(areFew, `A few words take ${minutes} minutes to read.`)
    },
    '| `posted_at` | string | ISO 8601 timestamp with offset |': async suite => {
      const moments = each(await familyList(suite), 'data', 'posted_at', momentMs)
      hold(new Set(moments).size === moments.length, 'Posts of different days have the same `posted_at`.')
      const { first } = await family(suite)
      const admin = succeeds(await suite.admin('GET', `/admin/posts/${first.id}`), 200)
      hold(momentMs(admin, 'data.posted_at') === Math.max(...moments), 'Another moment than in the list.')
    },
    '| `updated_at` | string | ISO 8601 timestamp with offset |': async suite => {
      for (const ms of each(await familyList(suite), 'data', 'updated_at', momentMs)) {
        const isOfToday = Math.abs(Date.now() - ms) < 86_400_000
        hold(isOfToday, `\`updated_at\` of a new post is ${new Date(ms).toISOString()}.`)
      }
    },
    'Same fields as the list the service plus `body` (string, HTML), `seo_title` (string), `meta_desc` (string).':
      async suite => {
        const [single, all] = [await familyPost(suite), await familyList(suite)]
        const { first, word } = await family(suite)
        const item = itemsOf(all, 'data').find(path => at(all, `${path}.id`) === first.id) ?? 'data.0'
        for (const name of FIELDS.split(' ')) equal(single, `data.${name}`, at(all, `${item}.${name}`))
        const hasBody = text(single, 'data.body').includes(`<p>The word ${word}`)
        hold(hasBody, 'The body is not the HTML that was set.')
        for (const name of ['seo_title', 'meta_desc']) text(single, `data.${name}`)
      },
  },
}

function create(suite: Suite, body: Record<string, unknown>): Promise<Answer> {
  return suite.admin('POST', '/admin/posts', { title: suite.unique('post'), ...body })
}

async function created(suite: Suite, body: Record<string, unknown>): Promise<Answer> {
  return succeeds(await create(suite, body))
}

/** The member takes a text of at most `most` characters, in a new post and in a change. */
function atMost(name: string, most: number): Check {
  return async suite => {
    const [longest, tooLong] = ['é'.repeat(most), { [name]: 'é'.repeat(most + 1) }]
    const answer = await created(suite, { [name]: longest })
    equal(answer, `data.${name}`, longest)
    isInvalid(await create(suite, tooLong))
    isInvalid(await suite.admin('PATCH', `/admin/posts/${integer(answer, 'data.id')}`, tooLong))
  }
}

export const seoTitle = atMost('seo_title', 60)
export const metaDesc = atMost('meta_desc', 155)

export const POST_WRITE_FIELDS: Section = {
  part: 'contract',
  title: 'Post (admin write fields)',
  checks: {
    '| `title` | string | yes | |': async suite => {
      isInvalid(await suite.admin('POST', '/admin/posts', { body: '<p>No title.</p>' }))
      isInvalid(await suite.admin('POST', '/admin/posts', { title: 42 }))
    },
    '| `slug` | string | no | must not duplicate an existing slug (else 422) |': async suite => {
      const { first } = await family(suite)
      isInvalid(await create(suite, { slug: first.slug }))
      const slug = suite.unique('slug').toLowerCase().replaceAll(' ', '-')
      equal(await created(suite, { slug }), 'data.slug', slug)
    },
    '| `body` | string (HTML) | no | default empty string |': async suite => {
      const empty = integer(await created(suite, {}), 'data.id')
      equal(await suite.admin('GET', `/admin/posts/${empty}`), 'data.body', '')
      const body = '<p class="a">Ünïcode & “quotes” &amp; <b>tags</b>\n\t</p>'
      const id = integer(await created(suite, { body }), 'data.id')
      equal(await suite.admin('GET', `/admin/posts/${id}`), 'data.body', body)
    },
    '| `short_description` | string | no | |': async suite => {
      await created(suite, { short_description: 'In one sentence.' })
      isInvalid(await create(suite, { short_description: 5 }))
    },
    '| `content_type` | string | no | default `post` |': async suite =>
      equal(await created(suite, {}), 'data.content_type', 'post'),
    '| `is_published` | boolean | no | |': async suite => {
      const { slug } = await createLivePost(suite)
      succeeds(await suite.reader('GET', `/posts/${slug}`), 200)
      isInvalid(await create(suite, { is_published: 'perhaps' }))
    },
    '| `posted_at` | string, ISO 8601 | no | must be a valid date; null is allowed and is replaced by the current time on publish |':
      async suite => {
        isInvalid(await create(suite, { posted_at: 'tomorrow or so' }))
        isInvalid(await create(suite, { posted_at: '2026-02-30T10:00:00Z' }))
        const id = integer(await created(suite, { posted_at: null }), 'data.id')
        const before = Date.now()
        succeeds(await suite.admin('POST', `/admin/posts/${id}/publish`))
        const post = succeeds(await suite.admin('GET', `/admin/posts/${id}`), 200)
        // The clocks of two machines may differ by minutes.
        const isNow = Math.abs(momentMs(post, 'data.posted_at') - before) < 600_000
        hold(isNow, `\`posted_at\` of a post published just now is ${at(post, 'data.posted_at')}.`)
      },
    '| `seo_title` | string | no | max 60 characters |': seoTitle,
    '| `meta_desc` | string | no | max 155 characters |': metaDesc,
    '| `category_ids` | array of integers | no | ids of categories to attach |': async suite => {
      const attached = [await createCategory(suite), await createCategory(suite)]
      const expected = attached.map(({ id }) => id).toSorted((one, other) => one - other)
      const { slug } = await createLivePost(suite, { category_ids: expected })
      const single = succeeds(await suite.reader('GET', `/posts/${slug}`), 200)
      const ids = each(single, 'data.categories', 'id', integer).toSorted((one, other) => one - other)
      hold(`${ids}` === `${expected}`, `The post is in the categories ${ids}, and not in ${expected}.`)
      isInvalid(await create(suite, { category_ids: 'news' }))
    },
  },
  notShown: ['Allowed values of `content_type` other than `post`: not shown.'],
}
