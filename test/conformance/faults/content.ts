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
  'Every JSON response uses one envelope.': {
    'a list without `success`': {
      on: /^GET \/categories$/,
      ...without('success'),
      says: '`success` is missing',
    },
  },
  '| `message` | string | human-readable |': {
    'an empty message': { on: LIST, ...changed('message', () => ''), says: 'message is empty' },
  },
  '| `errors.code` | string | stable machine-readable identifier; clients branch on it, not on `message` |': {
    'codes in lower case': {
      on: SINGLE,
      ...changed('errors.code', code => (code === undefined ? code : String(code).toLowerCase())),
      says: '"not_found"',
    },
  },
  '| `pagination` | object | only on paginated list endpoints |': {
    'a single post with pagination': {
      on: SINGLE,
      ...changed('pagination', () => ({ total: 1 })),
      says: 'there is a member `pagination`',
    },
  },
  '`pagination` object fields (all integers): `current_page`, `per_page`, `total`, `last_page`, `from`, `to`.':
    {
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
    },
  '| `id` | integer | numeric id |': {
    'ids as texts': { on: LIST, ...changed('data.*.id', String), says: 'and not an integer' },
  },
  '| `excerpt` | string | list endpoints return the excerpt only |': {
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
  },
  '| `featured_image` | object | keys `thumbnail`, `medium`, `large`, `original`; each is a complete absolute URL; may be empty for a post without image (clients test for presence) |':
    {
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
    },
  '| `author` | object | `name` (string), `avatar` (string or null) |': {
    'authors without `avatar`': {
      on: LIST,
      ...without('data.*.author.avatar'),
      says: '`data.0.author.avatar` is missing',
    },
  },
  '| `categories` | array | items `{id: integer, name: string, slug: string}` |': {
    'categories as names': {
      on: LIST,
      ...changed('data.*.categories', () => ['News']),
      says: '`data.0.categories.0.id` is missing',
    },
  },
  '| `reading_time` | integer | minutes |': {
    'a reading time as text': {
      on: LIST,
      ...changed('data.*.reading_time', () => '1 min'),
      says: '"1 min", and not an integer',
    },
  },
  '| `posted_at` | string | ISO 8601 timestamp with offset |': {
    'dates without offset': {
      on: LIST,
      ...changed('data.*.posted_at', date => String(date).slice(0, 19)),
      says: 'not an ISO 8601 timestamp with offset',
    },
  },
  '| `updated_at` | string | ISO 8601 timestamp with offset |': {
    'dates of changes as seconds': {
      on: LIST,
      ...changed('data.*.updated_at', date => Date.parse(String(date)) / 1000),
      says: 'and not a string',
    },
  },
  'Same fields as the list the service plus `body` (string, HTML), `seo_title` (string), `meta_desc` (string).':
    {
      'a single post without `meta_desc`': {
        on: SINGLE,
        ...without('data.meta_desc'),
        says: '`data.meta_desc` is missing',
      },
    },
  '| `category` | string | none | category slug filter |': {
    'a total that is off by one': {
      on: LIST,
      ...changed('pagination.total', plusOne),
      says: '`pagination.total` is 7, and not 6',
    },
  },
  '| GET | `/api/v1/posts/{slug}/related` | none | `data`: array of 3 to 5 post list items sharing categories with the post, ordered by recency; no pagination |':
    {
      'related posts, the oldest first': {
        on: /\/related$/,
        ...changed('data', reversed),
        says: 'the newest is not first',
      },
    },
  '| related posts | 3 to 5 items |': {
    'two related posts': {
      on: /\/related$/,
      ...changed('data', posts => (Array.isArray(posts) ? posts.slice(0, 2) : posts)),
      says: 'returns 2 posts',
    },
  },
  '| `posts_count` | integer | counts published posts only (public reads) |': {
    'a count of posts with the draft': {
      on: /^GET \/categories\/[^/]+$/,
      ...changed('data.posts_count', plusOne),
      says: '`posts_count` is 7',
    },
  },
  '| GET | `/api/v1/categories/{slug}/posts` | `page`, `per_page` | same as `/api/v1/posts?category={slug}` (paginated published posts) |':
    {
      'another order below a category': {
        on: /^GET \/categories\/[^/]+\/posts$/,
        ...changed('data', reversed),
        says: '`data` is',
      },
    },
  '| GET | `/api/v1/search` | query `q` (min 2 chars) | global search across posts and pages; `data` includes `total` (integer) and `posts` (array); other members of `data`: not shown |':
    {
      'a search with another total': {
        on: /^GET \/search$/,
        ...changed('data.total', plusOne),
        says: '`data.total` is 7, and not 6',
      },
    },
  '| GET | `/api/v1/health` | none | `data`: `status` (string), `api_version` (string), `cms_version` (string), `time` (ISO 8601 timestamp); 200 when healthy |':
    {
      'a health without `cms_version`': {
        on: /^GET \/health$/,
        ...without('data.cms_version'),
        says: '`data.cms_version` is missing',
      },
    },
  'The version is in the URL path; the current version is `v1` (`api_version` in the health response is `v1`).':
    {
      'another version of the API': {
        on: /^GET \/health$/,
        ...changed('data.api_version', () => '1.0'),
        says: '"1.0", and not "v1"',
      },
    },
  '`data.items` is an array of items with `id`, `url`, `label`, `target`, and `children` (array of items of the same shape, possibly empty).':
    {
      'menu items without `children`': {
        on: /^GET \/menus\//,
        ...without('data.items.*.children.*.children'),
        says: '`data.items.0.children.0.children` is missing',
      },
    },
  '`data` is an object whose keys are dotted strings.': {
    'settings as a tree': {
      on: /^GET \/settings\/public$/,
      ...changed('data', () => ({ general: { site_name: 'Site' } })),
      says: 'the keys general have no dot',
    },
  },
  '| POST | `/api/v1/admin/posts` | post write fields; `title` required | 201 + created post |': {
    '200 for a new post': {
      on: CREATE,
      after: reply => {
        if (reply.status === 201) reply.status = 200
      },
      says: 'answered 200',
    },
  },
  '| `title` | string | yes | |': {
    'a title that nobody gave': {
      on: CREATE,
      ...sent('title', title => title ?? 'Untitled'),
      says: 'and not 422',
    },
  },
  '| `slug` | string | no | must not duplicate an existing slug (else 422) |': {
    'a duplicate slug that is replaced': {
      on: CREATE,
      ...sent('slug', () => undefined),
      says: 'and not 422',
    },
  },
  '| `seo_title` | string | no | max 60 characters |': {
    'an seo_title that is cut': {
      on: CREATE,
      ...sent('seo_title', title => limited(title, 60)),
      says: 'and not 422',
    },
  },
  '| `meta_desc` | max 155 characters |': {
    'a meta_desc that is cut': {
      on: /^PATCH \/admin\/posts/,
      ...sent('meta_desc', text => limited(text, 155)),
      says: 'and not 422',
    },
  },
  '| `posted_at` | string, ISO 8601 | no | must be a valid date; null is allowed and is replaced by the current time on publish |':
    {
      'an invalid date that is ignored': {
        on: CREATE,
        ...sent('posted_at', date => (Number.isNaN(Date.parse(String(date))) ? undefined : date)),
        says: 'and not 422',
      },
    },
  '| `body` | string (HTML) | no | default empty string |': {
    'a body without its tags': {
      on: CREATE,
      ...sent('body', body => (typeof body === 'string' ? body.replaceAll(/<[^>]+>/g, '') : body)),
      says: '`data.body` is "Ünïcode',
    },
  },
  '| `category_ids` | array of integers | no | ids of categories to attach |': {
    'categories that are not attached': {
      on: CREATE,
      ...sent('category_ids', () => undefined),
      says: 'The post is in the categories ,',
    },
  },
  '| `page` | integer | 1 | page number |': {
    'a page that is ignored': {
      on: /^GET \/posts$/,
      before: ({ query }) => void query.delete('page'),
      says: '`pagination.current_page` is 1, and not 2',
    },
  },
  '| `per_page` | integer | 12 | max 100 |': {
    'ten posts a page': {
      on: /^GET \/posts$/,
      before: ({ query }) => void (query.has('per_page') || query.set('per_page', '10')),
      says: '`pagination.per_page` is 10, and not 12',
    },
  },
  '| `q` | string | none | search text, min 2 characters |': {
    'a search for one character': {
      on: /^GET \/posts$/,
      before: ({ query }) => void (query.get('q') === 'a' && query.set('q', 'aa')),
      says: 'and not 422',
    },
  },
  '| GET | `/api/v1/admin/posts` | optional `drafts_only` (`true` restricts to drafts); lists ALL posts incl. drafts and scheduled; pagination parameters as for public list (assumed same list contract: not shown) | list of posts |':
    {
      'a filter of drafts that is ignored': {
        on: /^GET \/admin\/posts$/,
        before: ({ query }) => void query.delete('drafts_only'),
        says: 'lists the published post',
      },
    },
  '| any | `DELETE /api/v1/admin/posts/{id}` | post exists | deleted | permanent removal, no soft delete by default |':
    {
      'a deletion that deletes nothing': {
        on: /^DELETE \/admin\/posts/,
        ...doesNothing(),
        says: 'A deleted post is public',
      },
    },
  '| published | `POST /api/v1/admin/posts/{id}/unpublish` | post exists | draft | `is_published=false`; the record stays but public endpoints no longer return it |':
    {
      'an unpublish that does nothing': {
        on: /\/unpublish$/,
        ...doesNothing(),
        says: 'An unpublished post is public',
      },
    },
  '| PATCH | `/api/v1/admin/posts/{id}` | any subset of write fields | updated post |': {
    'a change that empties the other fields': {
      on: /^PATCH \/admin\/posts/,
      before: ({ body }) => void edit(body, 'body', () => ''),
      says: '`data.body` is "", and not "<p>Kept.</p>"',
    },
  },
}
