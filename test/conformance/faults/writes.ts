// Faults in what requests change and select.
import { doesNothing, edit, type Fault, sent } from './fault.ts'

const CREATE = /^POST \/admin\/posts$/

function limited(value: unknown, most: number): unknown {
  return typeof value === 'string' ? value.slice(0, most) : value
}

export const WRITE_FAULTS: Fault[] = [
  {
    name: '200 for a new post',
    on: CREATE,
    after: reply => {
      if (reply.status === 201) reply.status = 200
    },
    check: 'POST /admin/posts answers 201 with the created post',
    says: 'answered 200',
  },
  {
    name: 'a title that nobody gave',
    on: CREATE,
    ...sent('title', title => title ?? 'Untitled'),
    check: 'a post without `title` is refused',
    says: 'and not 422',
  },
  {
    name: 'a duplicate slug that is replaced',
    on: CREATE,
    ...sent('slug', () => undefined),
    check: 'a `slug` that another post has is refused',
    says: 'and not 422',
  },
  {
    name: 'an seo_title that is cut',
    on: CREATE,
    ...sent('seo_title', title => limited(title, 60)),
    check: '`seo_title` has at most 60 characters',
    says: 'and not 422',
  },
  {
    name: 'a meta_desc that is cut',
    on: /^PATCH \/admin\/posts/,
    ...sent('meta_desc', text => limited(text, 155)),
    check: 'a meta_desc has at most 155 characters',
    says: 'and not 422',
  },
  {
    name: 'an invalid date that is ignored',
    on: CREATE,
    ...sent('posted_at', date => (Number.isNaN(Date.parse(String(date))) ? undefined : date)),
    check: '`posted_at` is a valid date, or null until it is published',
    says: 'and not 422',
  },
  {
    name: 'a body without its tags',
    on: CREATE,
    ...sent('body', body => (typeof body === 'string' ? body.replaceAll(/<[^>]+>/g, '') : body)),
    check: '`body` is empty by default, and HTML reads back unchanged',
    says: '`data.body` is "Ünïcode',
  },
  {
    name: 'categories that are not attached',
    on: CREATE,
    ...sent('category_ids', () => undefined),
    check: '`category_ids` attaches the post to these categories',
    says: 'The post is in the categories ,',
  },
  {
    name: 'a page that is ignored',
    on: /^GET \/posts$/,
    before: ({ query }) => void query.delete('page'),
    check: '`page` walks through the list, from page 1',
    says: '`pagination.current_page` is 1, and not 2',
  },
  {
    name: 'ten posts a page',
    on: /^GET \/posts$/,
    before: ({ query }) => void (query.has('per_page') || query.set('per_page', '10')),
    check: '`per_page` is 12 by default, and at most 100',
    says: '`pagination.per_page` is 10, and not 12',
  },
  {
    name: 'a search for one character',
    on: /^GET \/posts$/,
    before: ({ query }) => void (query.get('q') === 'a' && query.set('q', 'aa')),
    check: '`q` searches posts, and has at least 2 characters',
    says: 'and not 422',
  },
  {
    name: 'a filter of drafts that is ignored',
    on: /^GET \/admin\/posts$/,
    before: ({ query }) => void query.delete('drafts_only'),
    check: 'GET /admin/posts lists all posts, and only drafts with `drafts_only=true`',
    says: 'lists the published post',
  },
  {
    name: 'a deletion that deletes nothing',
    on: /^DELETE \/admin\/posts/,
    ...doesNothing(),
    check: 'deleting a post removes it permanently',
    says: 'A deleted post is public',
  },
  {
    name: 'an unpublish that does nothing',
    on: /\/unpublish$/,
    ...doesNothing(),
    check: 'unpublishing hides a post, and keeps its record',
    says: 'An unpublished post is public',
  },
  {
    name: 'a change that empties the other fields',
    on: /^PATCH \/admin\/posts/,
    before: ({ body }) => void edit(body, 'body', () => ''),
    check: 'PATCH /admin/posts/{id} changes what it is given, and nothing else',
    says: '`data.body` is "", and not "<p>Kept.</p>"',
  },
]
