// Faults in the envelope, and in the members of posts.
import { changed, type Fault, plusOne, without } from './fault.ts'

const LIST = /^GET \/posts$/
const SINGLE = /^GET \/posts\/[^/]+$/

export const POST_FAULTS: Fault[] = [
  {
    name: 'a list without `success`',
    on: /^GET \/categories$/,
    ...without('success'),
    check: 'every JSON answer is the envelope',
    says: '`success` is missing',
  },
  {
    name: 'an empty message',
    on: LIST,
    ...changed('message', () => ''),
    check: '`message` of a success is a text',
    says: 'message is empty',
  },
  {
    name: 'codes in lower case',
    on: SINGLE,
    ...changed('errors.code', code => (code === undefined ? code : String(code).toLowerCase())),
    check: '`errors.code` names the failure, and not its message',
    says: '"not_found"',
  },
  {
    name: 'a single post with pagination',
    on: SINGLE,
    ...changed('pagination', () => ({ total: 1 })),
    check: '`pagination` is only on paginated lists',
    says: 'there is a member `pagination`',
  },
  {
    name: 'a total as text',
    on: LIST,
    ...changed('pagination.total', String),
    check: 'all fields of `pagination` are integers',
    says: '`pagination.total` is "6", and not an integer',
  },
  {
    name: '`from` counts from 0',
    on: LIST,
    ...changed('pagination.from', from => Number(from) - 1),
    check: 'all fields of `pagination` are integers',
    says: '2,4,6,2,4,6',
  },
  {
    name: 'ids as texts',
    on: LIST,
    ...changed('data.*.id', String),
    check: 'the `id` of a post is numeric',
    says: 'and not an integer',
  },
  {
    name: 'bodies in a list',
    on: LIST,
    ...changed('data.*.body', () => '<p>Whole.</p>'),
    check: 'lists have the `excerpt` and no `body`',
    says: 'there is a member `data.0.body`',
  },
  {
    name: 'excerpts with HTML',
    on: LIST,
    ...changed('data.*.excerpt', excerpt => `<p>${excerpt}</p>`),
    check: 'lists have the `excerpt` and no `body`',
    says: 'An excerpt contains HTML',
  },
  {
    name: 'relative URLs of images',
    on: LIST,
    ...changed('data.*.featured_image', () => ({ thumbnail: '/images/1.jpg' })),
    check: 'the sizes of `featured_image` are complete absolute URLs',
    says: 'not a complete absolute URL',
  },
  {
    name: 'a missing image as null',
    on: LIST,
    ...changed('data.*.featured_image', () => null),
    check: 'the sizes of `featured_image` are complete absolute URLs',
    says: 'and not an object',
  },
  {
    name: 'authors without `avatar`',
    on: LIST,
    ...without('data.*.author.avatar'),
    check: 'the `author` has a `name`, and an `avatar` or null',
    says: '`data.0.author.avatar` is missing',
  },
  {
    name: 'categories as names',
    on: LIST,
    ...changed('data.*.categories', () => ['News']),
    check: 'each of `categories` has id, name and slug',
    says: '`data.0.categories.0.id` is missing',
  },
  {
    name: 'a reading time as text',
    on: LIST,
    ...changed('data.*.reading_time', () => '1 min'),
    check: '`reading_time` is a number of minutes',
    says: '"1 min", and not an integer',
  },
  {
    name: 'dates without offset',
    on: LIST,
    ...changed('data.*.posted_at', date => String(date).slice(0, 19)),
    check: '`posted_at` is a timestamp with offset, and the moment that was set',
    says: 'not an ISO 8601 timestamp with offset',
  },
  {
    name: 'dates of changes as seconds',
    on: LIST,
    ...changed('data.*.updated_at', date => Date.parse(String(date)) / 1000),
    check: '`updated_at` is a timestamp with offset',
    says: 'and not a string',
  },
  {
    name: 'a single post without `meta_desc`',
    on: SINGLE,
    ...without('data.meta_desc'),
    check: 'a single post has the fields of the list, and `body`, `seo_title` and `meta_desc`',
    says: '`data.meta_desc` is missing',
  },
  {
    name: 'a total that is off by one',
    on: LIST,
    ...changed('pagination.total', plusOne),
    check: '`category` filters by the slug of a category',
    says: '`pagination.total` is 7, and not 6',
  },
]
