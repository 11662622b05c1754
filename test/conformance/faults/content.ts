// Faults in the envelope, in posts and in the other public endpoints.
import { changed, doesNothing, edit, type Faults, plusOne, sent, without } from './fault.ts'

const LIST = /^GET \/posts$/
const SINGLE = /^GET \/posts\/[^/]+$/
const CREATE = /^POST \/admin\/posts$/

function limited(value: unknown, most: number): unknown {
  return typeof value === 'string' ? value.slice(0, most) : value
}

function reversed(items: unknown): unknown {
  return Array.isArray(items) ? items.toReversed() : items
}

export const CONTENT_FAULTS: Faults = {
  None: {
    'a list without `success`': {
      on: /^GET \/categories$/,
      ...without('success'),
      says: '`success` is missing',
    },
    'an empty message': { on: LIST, ...changed('message', () => ''), says: 'message is empty' },
    'codes in lower case': {
      on: SINGLE,
      ...changed('errors.code', code => (code === undefined ? code : String(code).toLowerCase())),
      says: '"not_found"',
    },
    'a single post with pagination': {
      on: SINGLE,
      ...changed('pagination', () => ({ total: 1 })),
      says: 'there is a member `pagination`',
    },
    'a total as text': {
      on: LIST,
      ...changed('pagination.total', String),
      says: '`pagination.total` is "6", and not an integer',
    },
    '`from` counts from 0': {
      on: LIST,
      ...changed('pagination.from', from => Number(from) - 1),
      says: '2,4,6,2,4,6',
    },
    'ids as texts': { on: LIST, ...changed('data.*.id', String), says: 'and not an integer' },
    'bodies in a list': {
      on: LIST,
      ...changed('data.*.body', () => '<p>Whole.</p>'),
      says: 'there is a member `data.0.body`',
    },
    'excerpts with HTML': {
      on: LIST,
      ...changed('data.*.excerpt', excerpt => `<p>${excerpt}</p>`),
      says: 'An excerpt contains HTML',
    },
    'relative URLs of images': {
      on: LIST,
      ...changed('data.*.featured_image', () => ({ thumbnail: '/images/1.jpg' })),
      says: 'not a complete absolute URL',
    },
    'a missing image as null': {
      on: LIST,
      ...changed('data.*.featured_image', () => null),
      says: 'and not an object',
    },
    'authors without `avatar`': {
      on: LIST,
      ...without('data.*.author.avatar'),
      says: '`data.0.author.avatar` is missing',
    },
    'categories as names': {
      on: LIST,
      ...changed('data.*.categories', () => ['News']),
      says: '`data.0.categories.0.id` is missing',
    },
    'a reading time as text': {
      on: LIST,
      ...changed('data.*.reading_time', () => '1 min'),
      says: '"1 min", and not an integer',
    },
    'dates without offset': {
      on: LIST,
      ...changed('data.*.posted_at', date => String(date).slice(0, 19)),
      says: 'not an ISO 8601 timestamp with offset',
    },
    'dates of changes as seconds': {
      on: LIST,
      ...changed('data.*.updated_at', date => Date.parse(String(date)) / 1000),
      says: 'and not a string',
    },
    'a single post without `meta_desc`': {
      on: SINGLE,
      ...without('data.meta_desc'),
      says: '`data.meta_desc` is missing',
    },
    'a total that is off by one': {
      on: LIST,
      ...changed('pagination.total', plusOne),
      says: '`pagination.total` is 7, and not 6',
    },
    'related posts, the oldest first': {
      on: /\/related$/,
      ...changed('data', reversed),
      says: 'the newest is not first',
    },
    'two related posts': {
      on: /\/related$/,
      ...changed('data', posts => (Array.isArray(posts) ? posts.slice(0, 2) : posts)),
      says: 'returns 2 posts',
    },
    'a count of posts with the draft': {
      on: /^GET \/categories\/[^/]+$/,
      ...changed('data.posts_count', plusOne),
      says: '`posts_count` is 7',
    },
    'another order below a category': {
      on: /^GET \/categories\/[^/]+\/posts$/,
      ...changed('data', reversed),
      says: '`data` is',
    },
    'a search with another total': {
      on: /^GET \/search$/,
      ...changed('data.total', plusOne),
      says: '`data.total` is 7, and not 6',
    },
    'a health without `cms_version`': {
      on: /^GET \/health$/,
      ...without('data.cms_version'),
      says: '`data.cms_version` is missing',
    },
    'another version of the API': {
      on: /^GET \/health$/,
      ...changed('data.api_version', () => '1.0'),
      says: '"1.0", and not "v1"',
    },
    'menu items without `children`': {
      on: /^GET \/menus\//,
      ...without('data.items.*.children.*.children'),
      says: '`data.items.0.children.0.children` is missing',
    },
    'settings as a tree': {
      on: /^GET \/settings\/public$/,
      ...changed('data', () => ({ general: { site_name: 'Site' } })),
      says: 'the keys general have no dot',
    },
    '200 for a new post': {
      on: CREATE,
      after: reply => {
        if (reply.status === 201) reply.status = 200
      },
      says: 'answered 200',
    },
    'a title that nobody gave': {
      on: CREATE,
      ...sent('title', title => title ?? 'Untitled'),
      says: 'and not 422',
    },
    'a duplicate slug that is replaced': {
      on: CREATE,
      ...sent('slug', () => undefined),
      says: 'and not 422',
    },
    'an seo_title that is cut': {
      on: CREATE,
      ...sent('seo_title', title => limited(title, 60)),
      says: 'and not 422',
    },
    'a meta_desc that is cut': {
      on: /^PATCH \/admin\/posts/,
      ...sent('meta_desc', text => limited(text, 155)),
      says: 'and not 422',
    },
    'an invalid date that is ignored': {
      on: CREATE,
      ...sent('posted_at', date => (Number.isNaN(Date.parse(String(date))) ? undefined : date)),
      says: 'and not 422',
    },
    'a body without its tags': {
      on: CREATE,
      ...sent('body', body => (typeof body === 'string' ? body.replaceAll(/<[^>]+>/g, '') : body)),
      says: '`data.body` is "Ünïcode',
    },
    'categories that are not attached': {
      on: CREATE,
      ...sent('category_ids', () => undefined),
      says: 'The post is in the categories ,',
    },
    'a page that is ignored': {
      on: /^GET \/posts$/,
      before: ({ query }) => void query.delete('page'),
      says: '`pagination.current_page` is 1, and not 2',
    },
    'ten posts a page': {
      on: /^GET \/posts$/,
      before: ({ query }) => void (query.has('per_page') || query.set('per_page', '10')),
      says: '`pagination.per_page` is 10, and not 12',
    },
    'a search for one character': {
      on: /^GET \/posts$/,
      before: ({ query }) => void (query.get('q') === 'a' && query.set('q', 'aa')),
      says: 'and not 422',
    },
    'a filter of drafts that is ignored': {
      on: /^GET \/admin\/posts$/,
      before: ({ query }) => void query.delete('drafts_only'),
      says: 'lists the published post',
    },
    'a deletion that deletes nothing': {
      on: /^DELETE \/admin\/posts/,
      ...doesNothing(),
      says: 'A deleted post is public',
    },
    'an unpublish that does nothing': {
      on: /\/unpublish$/,
      ...doesNothing(),
      says: 'An unpublished post is public',
    },
    'a change that empties the other fields': {
      on: /^PATCH \/admin\/posts/,
      before: ({ body }) => void edit(body, 'body', () => ''),
      says: '`data.body` is "", and not "<p>Kept.</p>"',
    },
  },
}
