// The one table: a chart of its items, and every kind of record, declared once for permissions, id counters,
// and the doctor. Functions in design/ build the keys; each kind of item has a row here.
//
// record            pk                        sk                built by            read by
// post              POST#<id>                 POST              postKey             findPost
// its body          POST#<id>                 BODY              bodyKey             findPostWithBody
// part of a blob    CHUNK#<blob>#<n>          CHUNK             blobPartKey         findBlob
// blob to sweep     LEFTOVER                  <due>#<blob>      leftoverKey         sweepBlobs
// post slug         SLUG#<slug>               SLUG              slugKey             findSlugLock
// scheduled post    SCHEDULED                 <posted_at>#<id>  scheduledKey        listScheduled
// category          CATEGORIES                <id>              categoryKey         listCategories
// totals, revision  CATEGORYTOTALS            CATEGORYTOTALS    categoryTotalsKey   findTotals
// category slug     CATEGORYSLUG#<slug>       CATEGORYSLUG      categorySlugKey     findCategoryIdBySlug
// list, root        LIST#<list>               ROOT              rootKey             listPage
// list, inner node  LIST#<list>               NODE#<from>       innerNodeKey        listPage
// list, entry       LIST#<list>               E#<order>         entryKey            listPage
// comment content   COMMENT#<id>              COMMENT           commentKey          findContent
// comment state     THREAD#<post id>          <id>/<id>/<id>    threadKey           findState
// pending comments  PENDING#<user id>         PENDING           pendingKey          findPending
// user              USER#<id>                 USER              userKey             findUser
// token             USER#<id>                 TOKEN#<id>        tokenKey            findTokenWithUser
// author profile    AUTHOR#<id>               AUTHOR            authorKey           findAuthors
// password          PASSWORD#<user id>        PASSWORD          passwordKey         findPasswordHash
// e-mail address    EMAIL#<sha256>            EMAIL             emailKey            findUserIdByEmail
// subscriber        NEWSLETTER#<id>           NEWSLETTER        newsletterKey       findSubscriber
// its address       NEWSLETTEREMAIL#<sha256>  NEWSLETTEREMAIL   newsletterEmailKey  findByEmail
// contact message   CONTACT#<id>              CONTACT           submissionKey       removeSubmission
// ticket            TICKET#<id>               TICKET            ticketKey           getTicket
// its description   TICKET#<id>               DESCRIPTION       descriptionKey      findTickets
// its replies       TICKET#<id>               REPLY#<id>        replyKey            listReplies
// settings          SETTINGS                  SETTINGS          settingsKey         readSettings
// menu              MENUS                     <location>        menuKey             getMenu
// imported record   ORIGIN#<sha256>           ORIGIN            originKey           findOrigins
// site id           ORIGIN                    SITE              siteIdKey           findSiteId
// version           VERSION                   VERSION           versionKey          findVersion
// public change     CHANGES                   <place>           changeKey           listChanges
// document          DOC#<id>                  DOC               docKey              findDocuments
// replaced one      DOC#<id>                  <revision>        replacedDocKey      readPendingDocuments
// scheduled one     DOC#<id>                  DUE               dueDocKey           readPendingDocuments
// pending change    INDEX                     PENDING#<id>#<n>  markerKey           readIndexState
// coming addition   INDEX                     WHEN#<time>#<id>  dueMarkerKey        readIndexState
// index manifest    INDEX                     MANIFEST          manifestKey         readIndexState
// index rebuild     INDEX                     REBUILDING        rebuildLockKey      readIndexState
// segment item      SEGMENT#<segment>#<n>     SEGMENT           segmentItemKey      readPages
// id counter        COUNTER#<kind>            COUNTER           counterKey          nextId
// rate limit        LIMIT#<scope>#<client>    LIMIT             limitKey            consume
// use of a token    LIMIT#token-use#<id>      LIMIT             tokenUseKey         withLastUse
// idempotency key   IDEMPOTENCY#<user>#<key>  IDEMPOTENCY       idempotencyKey      idempotency
// outbox row        OUTBOX#<0-15>             <ordered id>      outboxPartition     sweepOutbox
// mail              MAIL#<id>                 MAIL              mailKey             claimMail
// refused address   REFUSALS                  <sha256>          refusalKey          listRefusals
// webhook           WEBHOOK#<owner id>        <id>              webhookKey          listWebhooks
// webhook count     WEBHOOK#<owner id>        OWNED             webhooksOwnedKey    addWebhook
// fan-out entry     SUBSCRIBERS               <id>              fanOutKey           listFanOutEntries
// wanted events     SUBSCRIPTIONS#<0-3>       WANTED            wantedKey           findWanted
// delivery          DELIVERIES#<webhook>      <ordered id>      deliveryKey         claim
// delivered event   EVENT#<event id>          EVENT             eventKey            findEvents
// running replay    DELIVERIES#<webhook>      REPLAY            replayKey           findReplay
// burst             BURST#<webhook>           OPEN              burstKey            findBurst
// collected event   BURST#<webhook>           <event id>        collectedKey        collect

export type KindDeclaration = {
  /** Names of the counters that give such records, and records inside of them, their ids. */
  counters?: readonly string[]
  /** Names of the counted lists that contain such records; `*` stands for an id, a status or an order. */
  lists?: readonly string[]
  /** It belongs to no record type of the operator: the doctor checks it in another way, or not at all. */
  isInternal?: true
}

const INTERNAL = { isInternal: true } as const

/** By the first word of the partition key, which is also the word in which permissions are granted. */
export const KINDS = {
  POST: { counters: ['post'], lists: ['posts', 'pages', 'category:*', 'admin:*', 'drafts:*'] },
  CHUNK: INTERNAL,
  LEFTOVER: INTERNAL,
  SLUG: {},
  SCHEDULED: {},
  CATEGORIES: { counters: ['category'] },
  CATEGORYTOTALS: INTERNAL,
  CATEGORYSLUG: {},
  LIST: INTERNAL,
  COMMENT: { counters: ['comment'], lists: ['comments:*'] },
  THREAD: {},
  PENDING: {},
  USER: { counters: ['user', 'token'], lists: ['users', 'users:*'] },
  AUTHOR: {},
  PASSWORD: {},
  EMAIL: {},
  NEWSLETTER: { counters: ['subscriber'], lists: ['newsletter:*'] },
  NEWSLETTEREMAIL: {},
  CONTACT: { counters: ['submission'], lists: ['contact'] },
  TICKET: { counters: ['ticket', 'ticket-reply'], lists: ['tickets:*'] },
  SETTINGS: INTERNAL,
  MENUS: INTERNAL,
  ORIGIN: INTERNAL,
  VERSION: INTERNAL,
  CHANGES: INTERNAL,
  DOC: {},
  INDEX: {},
  SEGMENT: INTERNAL,
  COUNTER: INTERNAL,
  LIMIT: INTERNAL,
  IDEMPOTENCY: INTERNAL,
  OUTBOX: INTERNAL,
  MAIL: INTERNAL,
  REFUSALS: INTERNAL,
  WEBHOOK: { counters: ['webhook'] },
  SUBSCRIBERS: {},
  SUBSCRIPTIONS: INTERNAL,
  DELIVERIES: INTERNAL,
  EVENT: INTERNAL,
  BURST: INTERNAL,
} as const satisfies Record<string, KindDeclaration>

export type Kind = keyof typeof KINDS
type DeclaredKind = (typeof KINDS)[Kind]

export type Counter = Extract<DeclaredKind, { counters: readonly string[] }>['counters'][number]
export const COUNTERS: Counter[] = Object.values(KINDS).flatMap(kind =>
  'counters' in kind ? [...kind.counters] : [],
)

export type ListName = Extract<DeclaredKind, { lists: readonly string[] }>['lists'][number]

/** A kind of record, as permissions name it: each kind of list has a name of its own. */
export type RecordKind = Exclude<Kind, 'LIST'> | `LIST ${ListName}`
