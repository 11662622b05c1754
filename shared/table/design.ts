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
export function openPartition(shard: number): string {
  return `${'OPEN' satisfies Kind}#${shard}`
}

/** Ids and times sort as text. 16 digits hold every safe integer. */
export function sortable(n: number): string {
  return String(n).padStart(16, '0')
}

function key(kind: Kind, name: string | number, sk: string): Key {
  return { pk: `${kind}#${name}`, sk }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** What a key was put together from, for whoever goes through all of them. */
export function kindOf(pk: string): string {
  return pk.split('#', 1)[0] ?? ''
}

export function nameIn(pk: string): string {
  return pk.slice(kindOf(pk).length + 1)
}

export function postKey(id: number) {
  return key('POST', id, 'POST')
}

export function bodyKey(id: number) {
  return key('POST', id, 'BODY')
}

export function chunkKey(blob: string, n: number) {
  return key('CHUNK', `${blob}#${n}`, 'CHUNK')
}

/** The blob that a part is of, by the name in its partition key. */
export function blobIn(name: string): string {
  return name.slice(0, name.lastIndexOf('#'))
}

export const LEFTOVER_PARTITION = 'LEFTOVER' satisfies Kind
export function leftoverKey(dueMs: number, blob: string): Key {
  return {
    pk: LEFTOVER_PARTITION,
    sk: `${sortable(dueMs)}#${blob}`,
  }
}

export function slugKey(slug: string) {
  return key('SLUG', slug, 'SLUG')
}

export const SCHEDULED_PARTITION = 'SCHEDULED' satisfies Kind
/** Order by time, then id. Shifted so that years before 1970 sort too (year 0 is -62,167,219,200). */
export function timeOrder(epochSeconds: number, id: number): string {
  return `${sortable(epochSeconds + 100_000_000_000)}#${sortable(id)}`
}

export function scheduledKey(epochSeconds: number, id: number): Key {
  return {
    pk: SCHEDULED_PARTITION,
    sk: timeOrder(epochSeconds, id),
  }
}

export const CATEGORY_PARTITION = 'CATEGORIES' satisfies Kind
export function categoryKey(id: number): Key {
  return { pk: CATEGORY_PARTITION, sk: sortable(id) }
}

export const categoryTotalsKey: Key = { pk: 'CATEGORYTOTALS' satisfies Kind, sk: 'CATEGORYTOTALS' }
export function categorySlugKey(slug: string) {
  return key('CATEGORYSLUG', slug, 'CATEGORYSLUG')
}

export function listPartition(list: string): string {
  return `${'LIST' satisfies Kind}#${list}`
}

export function rootKey(list: string) {
  return key('LIST', list, 'ROOT')
}

export function innerNodeKey(list: string, from: string) {
  return key('LIST', list, `M#${from}`)
}

export function entryKey(list: string, order: string) {
  return key('LIST', list, `E#${order}`)
}

/** The order of an entry by its sort key; undefined for a node. */
export function orderIn(sk: string): string | undefined {
  return sk.startsWith('E#') ? sk.slice(2) : undefined
}

/** Above the sort key of every entry and below all else in a list's partition, where entries come first. */
export const ENTRIES_END = 'E$'

export function commentKey(id: number) {
  return key('COMMENT', id, 'COMMENT')
}

export function threadPartition(postId: number): string {
  return `${'THREAD' satisfies Kind}#${postId}`
}

/** The ids from the root comment down: a comment sorts right before its replies. */
export function threadKey(postId: number, path: number[]) {
  return key('THREAD', postId, path.map(sortable).join('/'))
}

export const RECOUNT_PARTITION = 'MOVING' satisfies Kind
export function recountKey(postId: number): Key {
  return { pk: RECOUNT_PARTITION, sk: sortable(postId) }
}

export function pendingKey(userId: number) {
  return key('PENDING', userId, 'PENDING')
}

export function userKey(id: number) {
  return key('USER', id, 'USER')
}

export const TOKEN_PREFIX = 'TOKEN#'
export function tokenKey(userId: number, id: number) {
  return key('USER', userId, `${TOKEN_PREFIX}${sortable(id)}`)
}

/** Above the sort key of every token. */
export const TOKENS_END = `${TOKEN_PREFIX}:`
export function authorKey(id: number) {
  return key('AUTHOR', id, 'AUTHOR')
}

export function passwordKey(userId: number) {
  return key('PASSWORD', userId, 'PASSWORD')
}

export function emailKey(foldedEmail: string) {
  return key('EMAIL', sha256(foldedEmail), 'EMAIL')
}

export function newsletterKey(id: number) {
  return key('NEWSLETTER', id, 'NEWSLETTER')
}

export function newsletterEmailKey(foldedEmail: string) {
  return key('NEWSLETTEREMAIL', sha256(foldedEmail), 'NEWSLETTEREMAIL')
}

export function submissionKey(id: number) {
  return key('CONTACT', id, 'CONTACT')
}

export function ticketKey(id: number) {
  return key('TICKET', id, 'TICKET')
}

export const REPLY_PREFIX = 'REPLY#'
export function replyKey(ticketId: number, id: number) {
  return key('TICKET', ticketId, `${REPLY_PREFIX}${sortable(id)}`)
}

export const settingsKey: Key = { pk: 'SETTINGS' satisfies Kind, sk: 'SETTINGS' }

export const MENUS_PARTITION = 'MENUS' satisfies Kind
export function menuKey(location: string): Key {
  return { pk: MENUS_PARTITION, sk: location }
}

/** Before every location: those begin with a hyphen, a digit or a letter. */
export const menusSizeKey = menuKey('#BYTES')
export const MENUS_BEGIN = '-'

export function docKey(postId: number) {
  return key('DOC', postId, 'DOC')
}

export const UNINDEXED_PARTITION = 'UNINDEXED' satisfies Kind
export function unindexedKey(postId: number): Key {
  return { pk: UNINDEXED_PARTITION, sk: sortable(postId) }
}

export const rebuildingKey: Key = { pk: 'REBUILDING' satisfies Kind, sk: 'REBUILDING' }
/** Terms that begin alike stand together; `start` is at most three characters, or a term of another kind. */

export function termKey(start: string, term: string) {
  return key('TERM', start, term)
}

export function postingsPartition(term: string): string {
  return `${'POSTINGS' satisfies Kind}#${term}`
}

/** Blocks sort as their postings do: by best field, newest first. */
export function postingsKey(term: string, order: { field: number; seconds: number; id: number }) {
  return key('POSTINGS', term, `${order.field}#${sortable(order.seconds)}#${sortable(order.id)}`)
}

export function counterKey(kind: string) {
  return key('COUNTER', kind, 'COUNTER')
}

export function limitKey(scope: string, client: string) {
  return key('LIMIT', `${scope}#${client}`, 'LIMIT')
}

export function idempotencyKey(userId: number, given: string) {
  return key('IDEMPOTENCY', `${userId}#${sha256(given)}`, 'IDEMPOTENCY')
}

export function outboxPartition(shard: number): string {
  return `${'OUTBOX' satisfies Kind}#${shard}`
}

function ofEachShard(partition: (shard: number) => string): string[] {
  return Array.from({ length: OUTBOX_SHARDS }, (_, shard) => partition(shard))
}

export function outboxPartitions(): string[] {
  return ofEachShard(outboxPartition)
}

/** A row that is set aside keeps its id and its shard. */
function setAsidePartition(shard: number): string {
  return `${'SETASIDE' satisfies Kind}#${shard}`
}

export function setAsidePartitions(): string[] {
  return ofEachShard(setAsidePartition)
}

export function setAsideKey({ pk, sk }: Key): Key {
  return { pk: setAsidePartition(Number(nameIn(pk))), sk }
}

export function outboxKey({ pk, sk }: Key): Key {
  return { pk: outboxPartition(Number(nameIn(pk))), sk }
}

export const sweepLeaseKey: Key = { pk: 'SWEEP' satisfies Kind, sk: 'LEASE' }
export const sweepBeatKey: Key = { pk: 'SWEEP' satisfies Kind, sk: 'BEAT' }
export function mailKey(id: string) {
  return key('MAIL', id, 'MAIL')
}

export function webhookPartition(ownerId: number): string {
  return `${'WEBHOOK' satisfies Kind}#${ownerId}`
}

export function webhookKey(ownerId: number, id: number) {
  return key('WEBHOOK', ownerId, sortable(id))
}

export function webhookCounterKey(ownerId: number, id: number, shard: number) {
  return key('WEBHOOK', ownerId, `${sortable(id)}#COUNT#${shard}`)
}

/** Sorts behind the records and counters of its partition. */
export function webhooksOwnedKey(ownerId: number) {
  return key('WEBHOOK', ownerId, 'OWNED')
}

export const SUBSCRIBERS_PARTITION = 'SUBSCRIBERS' satisfies Kind
export function subscriberKey(id: number): Key {
  return { pk: SUBSCRIBERS_PARTITION, sk: sortable(id) }
}

export function deliveryKey(webhookId: number, eventId: string) {
  return key('DELIVERIES', webhookId, eventId)
}
