// Endpoints and parameters that the service adds for content.

import type { Section } from '../check.ts'
import { createPost, family, familyList, inMs } from '../records.ts'
import { each, equal, fails, hold, integer, list, succeeds, text } from '../values.ts'

export const CONTENT: Section = {
  part: 'additions',
  title: 'Content',
  checks: {
    '`GET /posts`, `GET /categories/{slug}/posts` and `GET /pages` take `include=body`: items then carry `body`, `seo_title`, `meta_desc`, so that a static build of N posts needs N/100 calls.':
      async suite => {
        const { word } = await family(suite)
        const answer = await familyList(suite, '&include=body&per_page=100')
        const bodies = each(answer, 'data', 'body', text)
        hold(
          bodies.every(body => body.includes(word)),
          'A body is not whole.',
        )
        for (const name of ['seo_title', 'meta_desc']) each(answer, 'data', name, text)
      },
    '`/posts…` serves `post` only, `/pages…` `page` only.': async suite => {
      const page = { content_type: 'page', is_published: true, posted_at: inMs(-60_000) }
      const { slug, id } = await createPost(suite, page)
      equal(succeeds(await suite.reader('GET', `/pages/${slug}`), 200), 'data.id', id)
      fails(await suite.reader('GET', `/posts/${slug}`), 404, 'NOT_FOUND')
      const { first } = await family(suite)
      fails(await suite.reader('GET', `/pages/${first.slug}`), 404, 'NOT_FOUND')
      const pages = succeeds(await suite.reader('GET', '/pages?per_page=100'), 200)
      hold(list(pages, 'data').length > 0, `${pages.request} is empty.`)
    },
    'The four keys read back as given; `{}` when unset.': async suite => {
      const featured_image = {
        thumbnail: 'https://images.example/1.jpg',
        large: 'https://images.example/2.jpg',
      }
      const body = { title: suite.unique('post'), featured_image }
      const answer = succeeds(await suite.admin('POST', '/admin/posts', body), 201)
      equal(answer, 'data.featured_image', featured_image)
    },
    'filters `drafts_only=true` (`is_published` false; scheduled not included; `false` filters nothing), `content_type` (without it both kinds), `slug` (exact).':
      async suite => {
        const { draft, scheduled } = await family(suite)
        const answer = succeeds(await suite.admin('GET', `/admin/posts?slug=${draft.slug}`), 200)
        hold(
          `${each(answer, 'data', 'id', integer)}` === `${draft.id}`,
          `${answer.request} finds other posts.`,
        )
        const drafts = succeeds(await suite.admin('GET', '/admin/posts?drafts_only=true&per_page=100'), 200)
        const ids = each(drafts, 'data', 'id', integer)
        hold(!ids.includes(scheduled.id), `${drafts.request} lists a scheduled post.`)
      },
    '| POST | `/contact` | `name` 1 to 255, `email`, `subject?`, `message` 1 to 10,000 |': async suite => {
      const body = { name: suite.unique('visitor'), email: 'visitor@example.com', message: 'Hello.' }
      const answer = succeeds(await suite.reader('POST', '/contact', body), 201)
      const all = succeeds(await suite.admin('GET', '/admin/contact'), 200)
      hold(
        each(all, 'data', 'id', integer).includes(integer(answer, 'data.id')),
        'The message is not listed.',
      )
    },
  },
}
