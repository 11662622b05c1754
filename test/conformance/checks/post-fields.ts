// "Post (list the service)" and "Post (single, by slug)".
import { succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import type { Answer } from '../client.ts'
import { createPost, family, familyList, familyPost } from '../records.ts'
import type { Suite } from '../suite.ts'
import {
  absent,
  absoluteUrl,
  at,
  each,
  equal,
  hold,
  integer,
  itemsOf,
  list,
  members,
  momentMs,
  text,
  textOrNull,
} from '../values.ts'

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
  checks: [
    {
      name: 'the `id` of a post is numeric',
      proves: '| `id` | integer | numeric id |',
      run: async suite => {
        const ids = each(await familyList(suite), 'data', 'id', integer)
        const { live } = await family(suite)
        hold(
          live.every(({ id }) => ids.includes(id)),
          `The list has the ids ${ids}, and not those created.`,
        )
      },
    },
    {
      name: 'the `title` of a post reads back',
      proves: '| `title` | string | |',
      run: async suite => {
        const { first } = await family(suite)
        equal(await familyPost(suite), 'data.title', first.title)
      },
    },
    {
      name: 'the `slug` of a post is unique and finds it',
      proves: '| `slug` | string | unique; public lookup key |',
      run: async suite => {
        const { first } = await family(suite)
        equal(await familyPost(suite), 'data.id', first.id)
        const slugs = each(await familyList(suite), 'data', 'slug', text)
        hold(new Set(slugs).size === slugs.length, `A slug is in the list twice: ${slugs.join(', ')}.`)
        const twin = await createPost(suite, { title: first.title })
        hold(twin.slug !== first.slug, `Two posts have the slug ${twin.slug}.`)
      },
    },
    {
      name: 'lists have the `excerpt` and no `body`',
      proves: '| `excerpt` | string | list endpoints return the excerpt only |',
      run: async suite => {
        const answer = await familyList(suite)
        for (const excerpt of each(answer, 'data', 'excerpt', text)) {
          hold(!/<\w+[^>]*>/.test(excerpt), `An excerpt contains HTML: ${excerpt}`)
        }
        for (const item of itemsOf(answer, 'data')) absent(answer, `${item}.body`)
      },
    },
    {
      name: 'the `content_type` of a new post is `post`',
      proves: '| `content_type` | string | default `post` on creation |',
      run: async suite => {
        const answer = await familyList(suite)
        for (const item of itemsOf(answer, 'data')) equal(answer, `${item}.content_type`, 'post')
      },
    },
    {
      name: 'the sizes of `featured_image` are complete absolute URLs',
      proves:
        '| `featured_image` | object | keys `thumbnail`, `medium`, `large`, `original`; each is a complete absolute URL; may be empty for a post without image (clients test for presence) |',
      run: async suite => {
        for (const answer of await lists(suite)) {
          for (const item of itemsOf(answer, 'data')) {
            for (const size of Object.keys(members(answer, `${item}.featured_image`))) {
              hold(SIZES.includes(size), `${answer.request}: \`featured_image\` has the key ${size}.`)
              absoluteUrl(answer, `${item}.featured_image.${size}`)
            }
          }
        }
      },
    },
    {
      name: 'the `author` has a `name`, and an `avatar` or null',
      proves: '| `author` | object | `name` (string), `avatar` (string or null) |',
      run: async suite => {
        for (const answer of await lists(suite)) {
          each(answer, 'data', 'author.name', text)
          each(answer, 'data', 'author.avatar', textOrNull)
        }
      },
    },
    {
      name: 'each of `categories` has id, name and slug',
      proves: '| `categories` | array | items `{id: integer, name: string, slug: string}` |',
      run: async suite => {
        const answer = await familyList(suite)
        const { category } = await family(suite)
        for (const item of itemsOf(answer, 'data')) {
          hold(list(answer, `${item}.categories`).length === 1, `${answer.request}: not one category.`)
          hold(integer(answer, `${item}.categories.0.id`) === category.id, 'Another category is attached.')
          hold(text(answer, `${item}.categories.0.name`) === category.name, 'The category has another name.')
          hold(text(answer, `${item}.categories.0.slug`) === category.slug, 'The category has another slug.')
        }
      },
    },
    {
      name: '`reading_time` is a number of minutes',
      proves: '| `reading_time` | integer | minutes |',
      run: async suite => {
        const minutes = each(await familyList(suite), 'data', 'reading_time', integer)
        hold(
          minutes.every(value => value >= 0 && value < 60),
          `A few words take ${minutes} minutes to read.`,
        )
      },
    },
    {
      name: '`posted_at` is a timestamp with offset, and the moment that was set',
      proves: '| `posted_at` | string | ISO 8601 timestamp with offset |',
      run: async suite => {
        const moments = each(await familyList(suite), 'data', 'posted_at', momentMs)
        hold(new Set(moments).size === moments.length, 'Posts of different days have the same `posted_at`.')
        const { first } = await family(suite)
        const admin = succeeds(await suite.admin('GET', `/admin/posts/${first.id}`), 200)
        hold(momentMs(admin, 'data.posted_at') === Math.max(...moments), 'Another moment than in the list.')
      },
    },
    {
      name: '`updated_at` is a timestamp with offset',
      proves: '| `updated_at` | string | ISO 8601 timestamp with offset |',
      run: async suite => {
        for (const ms of each(await familyList(suite), 'data', 'updated_at', momentMs)) {
          hold(
            Math.abs(Date.now() - ms) < 86_400_000,
            `\`updated_at\` of a new post is ${new Date(ms).toISOString()}.`,
          )
        }
      },
    },
    {
      name: 'a single post has the fields of the list, and `body`, `seo_title` and `meta_desc`',
      proves:
        'Same fields as the list the service plus `body` (string, HTML), `seo_title` (string), `meta_desc` (string).',
      run: async suite => {
        const [single, all] = [await familyPost(suite), await familyList(suite)]
        const { first, word } = await family(suite)
        const item = itemsOf(all, 'data').find(path => at(all, `${path}.id`) === first.id) ?? 'data.0'
        for (const name of FIELDS.split(' ')) equal(single, `data.${name}`, at(all, `${item}.${name}`))
        hold(
          text(single, 'data.body').includes(`<p>The word ${word}`),
          'The body is not the HTML that was set.',
        )
        for (const name of ['seo_title', 'meta_desc']) text(single, `data.${name}`)
      },
    },
  ],
}
