// Faults in the answers of the other public endpoints.
import { changed, type Fault, plusOne, without } from './fault.ts'

export const PUBLIC_FAULTS: Fault[] = [
  {
    name: 'related posts, the oldest first',
    on: /\/related$/,
    ...changed('data', posts => (Array.isArray(posts) ? posts.toReversed() : posts)),
    check: 'GET /posts/{slug}/related returns 3 to 5 posts that share a category, newest first',
    says: 'the newest is not first',
  },
  {
    name: 'two related posts',
    on: /\/related$/,
    ...changed('data', posts => (Array.isArray(posts) ? posts.slice(0, 2) : posts)),
    check: 'there are 3 to 5 related posts',
    says: 'returns 2 posts',
  },
  {
    name: 'a count of posts with the draft',
    on: /^GET \/categories\/[^/]+$/,
    ...changed('data.posts_count', plusOne),
    check: '`posts_count` counts published posts only',
    says: '`posts_count` is 7',
  },
  {
    name: 'another order below a category',
    on: /^GET \/categories\/[^/]+\/posts$/,
    ...changed('data', posts => (Array.isArray(posts) ? posts.toReversed() : posts)),
    check: 'GET /categories/{slug}/posts is the list of posts with that category',
    says: '`data` is',
  },
  {
    name: 'a search with another total',
    on: /^GET \/search$/,
    ...changed('data.total', plusOne),
    check: 'GET /search finds posts and pages, with their total',
    says: '`data.total` is 7, and not 6',
  },
  {
    name: 'a health without `cms_version`',
    on: /^GET \/health$/,
    ...without('data.cms_version'),
    check: 'GET /health returns status, api_version, cms_version and time',
    says: '`data.cms_version` is missing',
  },
  {
    name: 'another version of the API',
    on: /^GET \/health$/,
    ...changed('data.api_version', () => '1.0'),
    check: 'the version of the API is v1',
    says: '"1.0", and not "v1"',
  },
  {
    name: 'menu items without `children`',
    on: /^GET \/menus\//,
    ...without('data.items.*.children.*.children'),
    check: 'the items of a menu have id, url, label, target and children of the same shape',
    says: '`data.items.0.children.0.children` is missing',
  },
  {
    name: 'settings as a tree',
    on: /^GET \/settings\/public$/,
    ...changed('data', () => ({ general: { site_name: 'Site' } })),
    check: 'the keys of public settings are dotted',
    says: 'the keys general have no dot',
  },
]
