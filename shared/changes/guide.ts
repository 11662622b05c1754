// The guide to changes: text and example of the endpoint, and texts of the members.
import { describes } from '../http/descriptions.ts'
import { guideOf, type SliceGuide } from '../http/guide.ts'
import { LISTED_POST } from '../posts/guide/examples.ts'
import { Change, changes } from './contract.ts'

export const CHANGES_GUIDE: SliceGuide = {
  tags: { changes: 'What has changed in the public content, for copies of it.' },
  endpoints: guideOf(
    changes,
    {
      listChanges: {
        description: `For a static-site build or a search engine that keeps a copy. Take a cursor first, without \`since\`; then pull
          everything; from then on ask for the changes since the last \`cursor.next\`, which is never null, and again at once
          while \`cursor.more\` is true. An answer names each resource at most once, with its state at this moment, in the order of the last
          changes. A later answer may name it again.

          It covers posts, pages, categories with their counts, settings and menus. When the name, slug or picture of a category or of an author
          whom a public post or page shows changes, there is one entry of type \`all\`: pull everything. Drafts and
          scheduled posts leave no trace; a scheduled post is in the answers from its second on. When a webhook arrives, its change is in the answer for
          every earlier cursor.

          A cursor holds for 30 days. An older one is a 410 \`CURSOR_EXPIRED\`: start again. An answer without changes repeats the cursor, so that
          \`If-None-Match\` gets a 304.`,
        data: [
          {
            type: 'post',
            id: 1,
            slug: 'hello-world',
            change: 'upserted',
            at: '2026-05-26T15:00:00+00:00',
            previous_slug: 'hello',
            item: LISTED_POST,
          },
          { type: 'page', id: 5, slug: 'about', change: 'removed', at: '2026-05-26T15:00:05+00:00' },
        ],
      },
    },
    {
      since:
        'A `cursor.next` of this endpoint. Without it the answer has no changes, and `cursor.next` is the present moment.',
      include: [
        '`item`: each entry with the public list form of what it names. `body`: with the single form, with its body.',
        'item',
      ],
      limit: 'Entries per answer, 1 to 100. An answer may have fewer, or none, while `cursor.more` is true.',
    },
  ),
  members: [
    describes(Change, {
      type: 'What has changed. `all`: a name that posts and pages show, or so much that everything is to be pulled again.',
      id: 'Id of the post, page or category; null for the others.',
      slug: 'Slug of the post, page or category; location of the menu; null for the others.',
      change:
        '`upserted`: it is new or different. `removed`: it was deleted or has left public view; or, for a post that has become a page, the post.',
      at: 'When it last changed, or became due.',
      previous_slug: [
        'The slug under which it was public before these changes. Only if it has another one now.',
        'hello',
      ],
      item: 'What the public endpoint answers at this moment. Only with `include`, and not for what was removed.',
    }),
  ],
}
