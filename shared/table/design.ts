// THE key design: every key of the one table is put together here and nowhere else.
//
// record            pk                          sk                      read by
// post              POST#<id>                   POST                    posts/store getPost, showPost
// its body          POST#<id>                   BODY                    posts/body
// part of a blob    CHUNK#<blob>#<n>            CHUNK                   table/blob (large bodies, large kept answers)
// blobs to sweep    LEFTOVER                    <due>#<blob>            sweep: blobs that no record names
// post slug         SLUG#<slug>                 SLUG                    posts/store findPostBySlug (names post and author)
// waiting for time  SCHEDULED                   <posted_at>#<id>        every post count, sweep (due posts)
// category          CATEGORIES                  <id>                    all lists and posts (names); root of its list
// all of them       CATEGORYTOTALS              CATEGORYTOTALS          categories/totals: their revision, by every list
// category slug     CATEGORYSLUG#<slug>         CATEGORYSLUG            categories/store findCategoryBySlug
// list, root        LIST#<list>                 ROOT                    table/counted-list (categories: the record above)
// list, middle      LIST#<list>                 M#<from>                table/counted-list
// list, entry       LIST#<list>                 E#<key>                 table/counted-list, carries the list item
// comment           COMMENT#<id>                COMMENT                 comments/store: its words, which never change
// its standing      THREAD#<post id>            <id>/<id>/<id>          comments/store: from the root comment down to it
// threads to mend   MOVING                      <post id>               every list of comments (nearly always empty)
// may be pending    PENDING#<user id>           PENDING                 comments/pending: of a user, at most 20
// user              USER#<id>                   USER                    lambda/authenticate, accounts/store, deliver-webhooks
// token             USER#<id>                   TOKEN#<id>              lambda/authenticate (with its user), GET /me/tokens
// author profile    AUTHOR#<id>                 AUTHOR                  every answer with an author
// password          PASSWORD#<user id>          PASSWORD                auth: login, registering, reset
// e-mail            EMAIL#<sha256>              EMAIL                   login, user create
// subscriber        NEWSLETTER#<id>             NEWSLETTER              newsletter/store findSubscriber, send-mail
// its address       NEWSLETTEREMAIL#<sha256>    NEWSLETTEREMAIL         newsletter/store findByEmail
// contact message   CONTACT#<id>                CONTACT                 contact/store removeSubmission
// ticket            TICKET#<id>                 TICKET                  tickets/store getTicket
// its replies       TICKET#<id>                 REPLY#<id>              tickets/store listReplies
// settings          SETTINGS                    SETTINGS                site/store, every request (in memory for 5 s)
// menu              MENUS                       <location>              site/menus
// their size        MENUS                       #BYTES                  condition of a larger one
// post as indexed   DOC#<id>                    DOC                     search/doc-store: its words in the index
// to be left out    UNINDEXED                   <id>                    every search (nearly always empty)
// who writes them   REBUILDING                  REBUILDING              search/writer: one run or reindex at a time
// term              TERM#<first characters>     <term>                  search/terms: counts, and postings or their blocks
// its postings      POSTINGS#<term>             <place of the first>    search/terms, a block of some hundred
// id counter        COUNTER#<kind>              COUNTER                 table/next-id
// rate limit        LIMIT#<scope>#<client>      LIMIT                   lambda/limiter, accounts/login-guard, mail/claim
// idempotency key   IDEMPOTENCY#<user>#<hash>   IDEMPOTENCY             lambda/idempotency
// outbox row        OUTBOX#<0-15>               <time-ordered id>       events/outbox, sweep
// set aside         SETASIDE#<0-15>             <its id in the outbox>  events/set-aside: unreadable rows, for redrive
// sweep's lease     SWEEP                       LEASE                   events/sweep-lease: one sweep at a time
// its heartbeat     SWEEP                       BEAT                    GET /health?deep=1
// mail              MAIL#<id>                   MAIL                    mail/claim: claimed, then final; kept 30 days
// webhook           WEBHOOK#<owner id>          <id>                    admin-webhooks, deliver-webhooks
// its counters      WEBHOOK#<owner id>          <id>#COUNT#<0-7>        read with it, added up
// how many          WEBHOOK#<owner id>          OWNED                   condition of a new one
// who listens       SUBSCRIBERS                 <id>                    fan-out
// delivery          DELIVERIES#<webhook id>     <event id>              deliver-webhooks
// … under way       OPEN#<0-7> (index `open`)   <end of its lease>      sweep: deliveries that broke off
import { createHash } from 'node:crypto'
import type { Key } from './key.ts'
import type { Kind } from './kinds.ts'

export const OUTBOX_SHARDS = 16
export const COUNTER_SHARDS = 8

/** Deliveries under way, by the end of their lease: sparse, gone when they are final. Both keys are strings. */
export const OPEN_INDEX = { name: 'open', pk: 'open_pk', sk: 'open_until' } as const
export const OPEN_SHARDS = 8
export const openPartition = (shard: number): string => `${'OPEN' satisfies Kind}#${shard}`

/** Ids and times sort as text. 16 digits hold every safe integer. */
export const sortable = (n: number): string => String(n).padStart(16, '0')

const key = (kind: Kind, name: string | number, sk: string): Key => ({ pk: `${kind}#${name}`, sk })
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** What a key was put together from, for whoever goes through all of them. */
export const kindOf = (pk: string): string => pk.split('#', 1)[0] ?? ''
export const nameIn = (pk: string): string => pk.slice(kindOf(pk).length + 1)

export const postKey = (id: number) => key('POST', id, 'POST')
export const bodyKey = (id: number) => key('POST', id, 'BODY')
export const chunkKey = (blob: string, n: number) => key('CHUNK', `${blob}#${n}`, 'CHUNK')
/** The blob that a part is of, by the name in its partition key. */
export const blobIn = (name: string): string => name.slice(0, name.lastIndexOf('#'))
export const leftoverPartition = 'LEFTOVER' satisfies Kind
export const leftoverKey = (dueMs: number, blob: string): Key => ({
  pk: leftoverPartition,
  sk: `${sortable(dueMs)}#${blob}`,
})
export const slugKey = (slug: string) => key('SLUG', slug, 'SLUG')

export const scheduledPartition = 'SCHEDULED' satisfies Kind
/** Order by time, then id. Shifted so that years before 1970 sort too (year 0 is -62,167,219,200). */
export const timeOrder = (epochSeconds: number, id: number): string =>
  `${sortable(epochSeconds + 100_000_000_000)}#${sortable(id)}`
export const scheduledKey = (epochSeconds: number, id: number): Key => ({
  pk: scheduledPartition,
  sk: timeOrder(epochSeconds, id),
})

export const categoryPartition = 'CATEGORIES' satisfies Kind
export const categoryKey = (id: number): Key => ({ pk: categoryPartition, sk: sortable(id) })
export const categoryTotalsKey: Key = { pk: 'CATEGORYTOTALS' satisfies Kind, sk: 'CATEGORYTOTALS' }
export const categorySlugKey = (slug: string) => key('CATEGORYSLUG', slug, 'CATEGORYSLUG')

export const listPartition = (list: string): string => `${'LIST' satisfies Kind}#${list}`
export const rootKey = (list: string) => key('LIST', list, 'ROOT')
export const middleKey = (list: string, from: string) => key('LIST', list, `M#${from}`)
export const entryKey = (list: string, order: string) => key('LIST', list, `E#${order}`)
/** The order of an entry by its sort key; undefined for a node. */
export const orderIn = (sk: string): string | undefined => (sk.startsWith('E#') ? sk.slice(2) : undefined)
/** Above the sort key of every entry and below all else in a list's partition, where entries come first. */
export const ENTRIES_END = 'E$'

export const commentKey = (id: number) => key('COMMENT', id, 'COMMENT')
export const threadPartition = (postId: number): string => `${'THREAD' satisfies Kind}#${postId}`
/** The ids from the root comment down: a comment sorts right before its replies. */
export const threadKey = (postId: number, path: number[]) =>
  key('THREAD', postId, path.map(sortable).join('/'))
export const movingPartition = 'MOVING' satisfies Kind
export const movingKey = (postId: number): Key => ({ pk: movingPartition, sk: sortable(postId) })

export const pendingKey = (userId: number) => key('PENDING', userId, 'PENDING')

export const userKey = (id: number) => key('USER', id, 'USER')
export const tokenPrefix = 'TOKEN#'
export const tokenKey = (userId: number, id: number) => key('USER', userId, `${tokenPrefix}${sortable(id)}`)
/** Above the sort key of every token. */
export const tokensEnd = `${tokenPrefix}:`
export const authorKey = (id: number) => key('AUTHOR', id, 'AUTHOR')
export const passwordKey = (userId: number) => key('PASSWORD', userId, 'PASSWORD')
export const emailKey = (foldedEmail: string) => key('EMAIL', sha256(foldedEmail), 'EMAIL')

export const newsletterKey = (id: number) => key('NEWSLETTER', id, 'NEWSLETTER')
export const newsletterEmailKey = (foldedEmail: string) =>
  key('NEWSLETTEREMAIL', sha256(foldedEmail), 'NEWSLETTEREMAIL')
export const submissionKey = (id: number) => key('CONTACT', id, 'CONTACT')

export const ticketKey = (id: number) => key('TICKET', id, 'TICKET')
export const replyPrefix = 'REPLY#'
export const replyKey = (ticketId: number, id: number) =>
  key('TICKET', ticketId, `${replyPrefix}${sortable(id)}`)

export const settingsKey: Key = { pk: 'SETTINGS' satisfies Kind, sk: 'SETTINGS' }

export const menusPartition = 'MENUS' satisfies Kind
export const menuKey = (location: string): Key => ({ pk: menusPartition, sk: location })
/** Before every location: those begin with a hyphen, a digit or a letter. */
export const menusSizeKey = menuKey('#BYTES')
export const MENUS_BEGIN = '-'

export const docKey = (postId: number) => key('DOC', postId, 'DOC')
export const unindexedPartition = 'UNINDEXED' satisfies Kind
export const unindexedKey = (postId: number): Key => ({ pk: unindexedPartition, sk: sortable(postId) })
export const rebuildingKey: Key = { pk: 'REBUILDING' satisfies Kind, sk: 'REBUILDING' }
/** Terms that begin alike stand together; `start` is at most three characters, or a term of another kind. */

export const termKey = (start: string, term: string) => key('TERM', start, term)
export const postingsPartition = (term: string): string => `${'POSTINGS' satisfies Kind}#${term}`
/** Blocks sort as their postings do: by best field, newest first. */
export const postingsKey = (term: string, order: { field: number; seconds: number; id: number }) =>
  key('POSTINGS', term, `${order.field}#${sortable(order.seconds)}#${sortable(order.id)}`)

export const counterKey = (kind: string) => key('COUNTER', kind, 'COUNTER')
export const limitKey = (scope: string, client: string) => key('LIMIT', `${scope}#${client}`, 'LIMIT')
export const idempotencyKey = (userId: number, given: string) =>
  key('IDEMPOTENCY', `${userId}#${sha256(given)}`, 'IDEMPOTENCY')

export const outboxPartition = (shard: number): string => `${'OUTBOX' satisfies Kind}#${shard}`
const ofEachShard = (partition: (shard: number) => string): string[] =>
  Array.from({ length: OUTBOX_SHARDS }, (_, shard) => partition(shard))
export const outboxPartitions = (): string[] => ofEachShard(outboxPartition)
/** A row that is set aside keeps its id and its shard. */
const setAsidePartition = (shard: number): string => `${'SETASIDE' satisfies Kind}#${shard}`
export const setAsidePartitions = (): string[] => ofEachShard(setAsidePartition)
export const setAsideKey = ({ pk, sk }: Key): Key => ({ pk: setAsidePartition(Number(nameIn(pk))), sk })
export const outboxKey = ({ pk, sk }: Key): Key => ({ pk: outboxPartition(Number(nameIn(pk))), sk })
export const sweepLeaseKey: Key = { pk: 'SWEEP' satisfies Kind, sk: 'LEASE' }
export const sweepBeatKey: Key = { pk: 'SWEEP' satisfies Kind, sk: 'BEAT' }
export const mailKey = (id: string) => key('MAIL', id, 'MAIL')

export const webhookPartition = (ownerId: number): string => `${'WEBHOOK' satisfies Kind}#${ownerId}`
export const webhookKey = (ownerId: number, id: number) => key('WEBHOOK', ownerId, sortable(id))
export const webhookCounterKey = (ownerId: number, id: number, shard: number) =>
  key('WEBHOOK', ownerId, `${sortable(id)}#COUNT#${shard}`)
/** Sorts behind the records and counters of its partition. */
export const webhooksOwnedKey = (ownerId: number) => key('WEBHOOK', ownerId, 'OWNED')
export const subscribersPartition = 'SUBSCRIBERS' satisfies Kind
export const subscriberKey = (id: number): Key => ({ pk: subscribersPartition, sk: sortable(id) })
export const deliveryKey = (webhookId: number, eventId: string) => key('DELIVERIES', webhookId, eventId)
