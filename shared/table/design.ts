// The key design: functions in design/ make every key of the one table, and each kind of item has a row here.
//
// record            pk                        sk                made by             read by
// post              POST#<id>                 POST              postKey             findPost
// its body          POST#<id>                 BODY              bodyKey             findPostWithBody
// part of a blob    CHUNK#<blob>#<n>          CHUNK             chunkKey            findBlob
// blob to sweep     LEFTOVER                  <due>#<blob>      leftoverKey         sweepBlobs
// post slug         SLUG#<slug>               SLUG              slugKey             findPostBySlug
// scheduled post    SCHEDULED                 <posted_at>#<id>  scheduledKey        listScheduled
// category          CATEGORIES                <id>              categoryKey         listCategories
// category sums     CATEGORYTOTALS            CATEGORYTOTALS    categoryTotalsKey   findTotals
// category slug     CATEGORYSLUG#<slug>       CATEGORYSLUG      categorySlugKey     findCategoryIdBySlug
// list, root        LIST#<list>               ROOT              rootKey             listPage
// list, inner node  LIST#<list>               M#<from>          innerNodeKey        listPage
// list, entry       LIST#<list>               E#<order>         entryKey            listPage
// comment content   COMMENT#<id>              COMMENT           commentKey          findContent
// comment state     THREAD#<post id>          <id>/<id>/<id>    threadKey           findPath
// thread recount    MOVING                    <post id>         recountKey          findRecount
// pending comments  PENDING#<user id>         PENDING           pendingKey          findPending
// user              USER#<id>                 USER              userKey             findUser
// token             USER#<id>                 TOKEN#<id>        tokenKey            findTokenWithUser
// author profile    AUTHOR#<id>               AUTHOR            authorKey           readAuthors
// password          PASSWORD#<user id>        PASSWORD          passwordKey         findPasswordHash
// e-mail address    EMAIL#<sha256>            EMAIL             emailKey            findUserIdByEmail
// subscriber        NEWSLETTER#<id>           NEWSLETTER        newsletterKey       findSubscriber
// its address       NEWSLETTEREMAIL#<sha256>  NEWSLETTEREMAIL   newsletterEmailKey  findByEmail
// contact message   CONTACT#<id>              CONTACT           submissionKey       removeSubmission
// ticket            TICKET#<id>               TICKET            ticketKey           getTicket
// its replies       TICKET#<id>               REPLY#<id>        replyKey            listReplies
// settings          SETTINGS                  SETTINGS          settingsKey         readSettings
// menu              MENUS                     <location>        menuKey             getMenu
// size of menus     MENUS                     #BYTES            menusSizeKey        saveMenu
// post as indexed   DOC#<id>                  DOC               docKey              findIndexRecord
// index tombstone   UNINDEXED                 <id>              unindexedKey        listTombstones
// index writer      REBUILDING                REBUILDING        rebuildingKey       isReindexRunning
// term              TERM#<first characters>   <term>            termKey             termNamed
// its postings      POSTINGS#<term>           <first posting>   postingsKey         allPostings
// id counter        COUNTER#<kind>            COUNTER           counterKey          nextId
// rate limit        LIMIT#<scope>#<client>    LIMIT             limitKey            consume
// idempotency key   IDEMPOTENCY#<user>#<key>  IDEMPOTENCY       idempotencyKey      idempotency
// outbox row        OUTBOX#<0-15>             <ordered id>      outboxKey           sweepOutbox
// row set aside     SETASIDE#<0-15>           <outbox id>       setAsideKey         countSetAside
// sweep lease       SWEEP                     LEASE             sweepLeaseKey       withSweepLease
// sweep beat        SWEEP                     BEAT              sweepBeatKey        findBeat
// mail              MAIL#<id>                 MAIL              mailKey             previousClaim
// webhook           WEBHOOK#<owner id>        <id>              webhookKey          listWebhooks
// its counters      WEBHOOK#<owner id>        <id>#COUNT#<0-7>  webhookCounterKey   listWebhooks
// webhook count     WEBHOOK#<owner id>        OWNED             webhooksOwnedKey    addWebhook
// subscription      SUBSCRIBERS               <id>              subscriberKey       listFanOutEntries
// delivery          DELIVERIES#<webhook>      <event id>        deliveryKey         claimDelivery
// open delivery     OPEN#<0-7>                <end of lease>    openPartition       listInterruptedDeliveries
export * from './design/accounts.ts'
export * from './design/comments.ts'
export * from './design/lists.ts'
export { kindOf, nameIn, sortable } from './design/parts.ts'
export * from './design/posts.ts'
export * from './design/search.ts'
export * from './design/site.ts'
export * from './design/webhooks.ts'
export * from './design/work.ts'
