// The endpoint of changes: what a copy of the public content must do to be the same again.
import * as z from 'zod/mini'
import { Category } from '../categories/contract.ts'
import { CHANGES_PATH } from '../feed/position.ts'
import { endpoint, group } from '../http/endpoint.ts'
import { members, named } from '../http/members.ts'
import { CursorText, limitParameter } from '../http/parameters.ts'
import { Time } from '../http/time.ts'
import { LISTED_POST } from '../posts/examples.ts'
import { PostListItem } from '../posts/fields.ts'
import { Menu } from '../site/menu.ts'
import { PublicSettings } from '../site/settings.ts'

const ChangeType = z.enum(['post', 'page', 'category', 'settings', 'menu', 'all'])

export const Change = named(
  'Change',
  members({
    type: [
      ChangeType,
      'What has changed. `all`: a name that posts and pages show, or so much that everything is to be pulled again.',
    ],
    id: [z.nullable(z.int()), 'Id of the post, page or category; null for the others.'],
    slug: [
      z.nullable(z.string()),
      'Slug of the post, page or category; location of the menu; null for the others.',
    ],
    change: [
      z.enum(['upserted', 'removed']),
      '`upserted`: it is new or different. `removed`: it was deleted or has left public view; or, for a post that has become a page, the post.',
    ],
    at: [Time, 'When it last changed, or became due.'],
    previous_slug: [
      z.optional(z.string()),
      'The slug under which it was public before these changes. Only if it has another one now.',
      'hello',
    ],
    item: [
      z.optional(z.union([PostListItem, Category, Menu, PublicSettings])),
      'What the public endpoint answers at this moment. Only with `include`, and not for what was removed.',
    ],
  }),
)
export type Change = z.infer<typeof Change>

export const changes = group({ public: 'What has changed in the public content, for copies of it.' }, () => ({
  listChanges: endpoint({
    method: 'GET',
    path: CHANGES_PATH,
    summary: 'List changes of the public content since a cursor',
    description: `For a static-site build or a search engine that keeps a copy. Take a cursor first, without \`since\`; then pull
          everything; from then on ask for the changes since the last \`cursor.next\`, which is never null, and again at once
          while \`cursor.more\` is true. An answer names each resource at most once, with its state at this moment, in the order of the last
          changes. A later answer may name it again.

          It covers posts, pages, categories with their counts, settings and menus. When a category is renamed, moved to another slug or deleted,
          or the name or picture of an author whom a public post or page shows changes, there is one entry of type \`all\`: pull everything. Drafts and
          scheduled posts leave no trace; a scheduled post is in the answers from its second on. When a webhook arrives, its change is in the answer for
          every earlier cursor.

          A cursor holds for 30 days. An older one is a 410 \`CURSOR_EXPIRED\`: start again. An answer without changes repeats the cursor, so that
          \`If-None-Match\` gets a 304.`,
    message: 'Changes.',
    query: members({
      ...limitParameter(
        'Entries per answer, 1 to 100. An answer may have fewer, or none, while `cursor.more` is true.',
      ),
      since: [
        z.optional(CursorText),
        'A `cursor.next` of this endpoint. Without it the answer has no changes, and `cursor.next` is the present moment.',
      ],
      include: [
        z.optional(z.enum(['item', 'body'], 'Only "item" or "body" can be included.')),
        '`item`: each entry with the public list form of what it names. `body`: with the single form, with its body.',
        'item',
      ],
    }),
    data: z.array(Change),
    saysMore: true,
    faults: ['CURSOR_EXPIRED'],
    // What is remembered may be older than a change that the answer lists.
    readsContent: false,
    example: {
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
  }),
}))
