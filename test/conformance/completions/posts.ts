// Posts and categories, where the contract is silent.
import { fails, isInvalid, isSorted, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { createCategory, createPost, family, familyList, inMs } from '../records.ts'
import { absent, at, each, equal, hold, integer, itemsOf, momentMs, text } from '../values.ts'

const DEFAULTS = {
  body: '',
  short_description: '',
  seo_title: '',
  meta_desc: '',
  content_type: 'post',
  is_published: false,
  posted_at: null,
  category_ids: [],
  status: 'draft',
  version: 1,
}

export const POSTS: Section = {
  part: 'completions',
  title: 'Posts and categories',
  checks: {
    'Public lists of posts are newest first: `posted_at` descending, then `id` descending.': async suite => {
      for (const answer of [await familyList(suite), await suite.reader('GET', '/posts?per_page=50')]) {
        const moments = each(answer, 'data', 'posted_at', momentMs)
        hold(isSorted(moments.map(ms => -ms)), `${answer.request}: the newest is not first.`)
      }
    },
    'A missing one is made from the title: lower case, diacritics of Latin and Greek letters dropped, every run of other characters one hyphen, cut so that it fits 200 with its number; numbered on a clash (`-2`, `-3`, …); where nothing is left it is `post` or `page`.':
      async suite => {
        const title = `${suite.unique('Très')} – CAFÉ Мой!`
        const slug = title
          .toLowerCase()
          .replace('è', 'e')
          .replace('é', 'e')
          .replaceAll(/[^a-zа-я0-9]+/g, '-')
        const expected = slug.replace(/-$/, '')
        const made = [await createPost(suite, { title }), await createPost(suite, { title })]
        const slugs = made.map(post => post.slug)
        hold(
          `${slugs}` === `${[expected, `${expected}-2`]}`,
          `The slugs of “${title}” are ${slugs.join(', ')}.`,
        )
      },
    '`excerpt` = `short_description`, or else at most 160 characters of the text, cut after a word (inside it, between grapheme clusters, only when the first is longer), no ellipsis.':
      async suite => {
        const listed = await familyList(suite)
        for (const item of itemsOf(listed, 'data')) equal(listed, `${item}.excerpt`, 'In short.')
        const body = `<p>${'word '.repeat(60)}</p>`
        const live = { is_published: true, posted_at: inMs(-60_000) }
        const { slug } = await createPost(suite, { body, ...live })
        const excerpt = text(succeeds(await suite.reader('GET', `/posts/${slug}`), 200), 'data.excerpt')
        const isCut = excerpt.length <= 160 && /^word(?: word)+$/.test(excerpt)
        hold(isCut, `The excerpt of sixty words is “${excerpt}”.`)
      },
    '`reading_time` = words of the text / 200 + characters of scripts without spaces / 500, rounded up together, at least 1.':
      async suite => {
        const body = `<p>${'word '.repeat(301)}</p><p>${'東'.repeat(250)}</p>`
        const answer = await suite.admin('POST', '/admin/posts', { title: suite.unique('post'), body })
        equal(succeeds(answer), 'data.reading_time', 3)
      },
    'Defaults on create: `body`, `short_description`, `seo_title`, `meta_desc` `""`, `content_type` `post`, `is_published` false, `posted_at` null, `category_ids` `[]`, `featured_image` null.':
      async suite => {
        const answer = succeeds(await suite.admin('POST', '/admin/posts', { title: suite.unique('post') }))
        for (const [name, value] of Object.entries(DEFAULTS)) equal(answer, `data.${name}`, value)
        equal(answer, 'data.featured_image', {})
      },
    'A PATCH that changes nothing changes nothing and fires nothing.': async suite => {
      const { id, title } = await createPost(suite)
      const same = succeeds(await suite.admin('PATCH', `/admin/posts/${id}`, { title }), 200)
      equal(same, 'data.version', 1)
      const other = succeeds(await suite.admin('PATCH', `/admin/posts/${id}`, { body: '<p>a</p>' }), 200)
      equal(other, 'data.version', 2)
    },
    'Publishing what is published or scheduled already, and unpublishing a draft: 200, nothing changes, no event.':
      async suite => {
        const { id } = await createPost(suite)
        const path = `/admin/posts/${id}`
        const draft = succeeds(await suite.admin('POST', `${path}/unpublish`), 200)
        equal(draft, 'data.version', 1)
        const published = succeeds(await suite.admin('POST', `${path}/publish`), 200)
        const again = succeeds(await suite.admin('POST', `${path}/publish`), 200)
        for (const name of ['version', 'posted_at', 'updated_at']) {
          equal(again, `data.${name}`, at(published, `data.${name}`))
        }
      },
    '`GET /admin/posts` is ordered by `id` descending; items are the admin view without `body`;':
      async suite => {
        await family(suite)
        const answer = succeeds(await suite.admin('GET', '/admin/posts'), 200)
        hold(isSorted(each(answer, 'data', 'id', integer).map(id => -id)), 'The highest id is not first.')
        for (const item of itemsOf(answer, 'data')) absent(answer, `${item}.body`)
        each(answer, 'data', 'status', text)
      },
    'Unknown category in the filter: 200, empty; unknown `{slug}` in a path: 404, also under `/categories/{slug}/posts`, the one difference between the two.':
      async suite => {
        const slug = 'no-such-category-of-the-suite'
        equal(succeeds(await suite.reader('GET', `/posts?category=${slug}`), 200), 'data', [])
        fails(await suite.reader('GET', `/categories/${slug}/posts`), 404, 'NOT_FOUND')
      },
    '`name` 1 to 100, need not be unique. `slug` by the rule of posts in a space of its own: made from the name and numbered when missing, 422 when given and taken.':
      async suite => {
        const first = await createCategory(suite)
        const second = await createCategory(suite, { name: first.name })
        hold(second.slug === `${first.slug}-2`, `The slug of the same name is ${second.slug}.`)
        const body = { name: first.name, slug: first.slug }
        isInvalid(await suite.admin('POST', '/admin/categories', body))
        isInvalid(await suite.admin('POST', '/admin/categories', { name: 'x'.repeat(101) }))
      },
  },
}
