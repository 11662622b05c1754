// A newer version has added members to every item. This one reads and changes the items, and keeps them.
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { connectLocally } from '../../infra/local/dynamodb/table.ts'
import { addRefusal } from '../../shared/mail/refusals.ts'
import { ownNewsletter } from '../../shared/newsletter/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { type Item, kindOf, settingsKey } from '../../shared/table/design.ts'
import { KINDS, type Kind } from '../../shared/table/kinds.ts'
import { ENDPOINTS, sendTo } from '../support/endpoints.ts'
import { recordsOf } from '../support/records.ts'
import { dumpOf } from '../support/table.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const records = recordsOf(world)

const ADDED = { next_release: { since: 2 } }

/** Words of arrays that the newer version has added. */
const WORDS: Record<string, string> = { events: 'post.archived', abilities: 'media:write' }

/** Members of copies and settings are in a map of the item. A copy is written again as a whole. */
function withAdded(item: Item): Item {
  const { item: copy, values } = item
  return {
    ...item,
    ...ADDED,
    ...Object.fromEntries(
      Object.entries(WORDS).flatMap(([name, word]) => {
        const words = item[name]
        return Array.isArray(words) ? [[name, [...words, word]]] : []
      }),
    ),
    ...(copy instanceof Object && { item: { ...copy, ...ADDED } }),
    ...(values instanceof Object && { values: { ...values, 'next.release': 2 } }),
  }
}

/** Kinds whose items no request changes once their work is finished: they are written once, and deleted. */
const NEVER_CHANGED: Kind[] = [
  ...(['CHUNK', 'LEFTOVER', 'CATEGORYSLUG', 'COMMENT', 'PASSWORD', 'EMAIL'] satisfies Kind[]),
  ...(['NEWSLETTEREMAIL', 'CONTACT', 'ORIGIN', 'CHANGES', 'SEGMENT'] satisfies Kind[]),
  ...(['IDEMPOTENCY', 'OUTBOX', 'MAIL', 'DELIVERIES'] satisfies Kind[]),
  ...(['EVENT', 'BURST'] satisfies Kind[]),
]

/** Kinds that change when the index worker merges, which may be later. */
const SOMETIMES_CHANGED: Kind[] = ['INDEX']

/** Written whole with each edit: what searches find of a scheduled post. */
const DERIVED = /^(?:DOC#\d+ DUE|INDEX WHEN#.*)$/

async function dump(): Promise<Map<string, Item>> {
  const items = await dumpOf(connectLocally(world.dynamodbEndpoint), world.tableName)
  return new Map(items.map(item => [`${item.pk} ${item.sk}`, item]))
}

/** Whether an array has lost the word of the newer version. */
function hasLostWord(before: Item, after: Item): boolean {
  return Object.entries(WORDS).some(([name, word]) => {
    const [words, kept] = [before[name], after[name]]
    return Array.isArray(words) && !(Array.isArray(kept) && kept.includes(word))
  })
}

async function finishWork(): Promise<void> {
  await until('the queues to be empty', world.isIndexed)
  await world.runSchedule('sweep')
}

describe('a member, and a word of an array, of a newer version', () => {
  it('stays in every item that this version changes', async () => {
    const changing = ENDPOINTS.filter(
      ({ name }) => !/^(?:GET|DELETE)|\/logout$|^POST .*me\/newsletter$/.test(name),
    )
    for (const { endpoint } of changing) await records.paramsFor(endpoint)
    const posted_at = '2099-01-01T00:00:00Z'
    await world.call(ownNewsletter.subscribeMe, { token: world.admin })
    const scheduled = await world.create.livePost({ posted_at })
    const bounce = { email: 'ada@example.com', reason: 'bounce', detail: 'General', refused_ms: 1 } as const
    await addRefusal(world.table, bounce)
    await finishWork()
    const before = await dump()
    await world.table.putMany([...before.values()].map(withAdded))

    const author = await world.create.user()
    const members: Record<string, Record<string, unknown>> = {
      'PATCH /api/v1/admin/posts/{id}': { author_id: author.id },
      'PATCH /api/v1/me': { name: 'Another name' },
      'PATCH /api/v1/admin/webhooks/{id}': { name: 'Another name' },
    }
    const params = { id: scheduled.id }
    await world.call(adminPosts.changePost, { token: world.admin, params, body: { title: 'Later' } })
    await world.call(ownNewsletter.unsubscribeMe, { token: world.admin })
    await addRefusal(world.table, { ...bounce, reason: 'complaint' })
    for (const { name, endpoint } of changing) {
      const params = await records.paramsFor(endpoint)
      const body = JSON.stringify(await records.bodyFor(endpoint, members[name]))
      await sendTo(world.baseUrl)(endpoint, { token: world.admin, params, body })
    }
    await finishWork()

    const after = await dump()
    const stored = [...before.keys()].flatMap(key => after.get(key) ?? [])
    const lost = stored.filter(
      ({ pk, sk, next_release }) =>
        !DERIVED.test(`${pk} ${sk}`) && !isDeepStrictEqual(next_release, ADDED.next_release),
    )
    expect(lost.map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([])
    const withWords = stored.map(item => ({ item, read: before.get(`${item.pk} ${item.sk}`) ?? item }))
    const shortened = withWords.filter(({ read, item }) => hasLostWord(read, item))
    expect(shortened.map(({ item }) => `${item.pk} ${item.sk}`)).toEqual([])
    expect(withWords.filter(({ read }) => Array.isArray(read.events)).map(({ item }) => item.name)).toContain(
      'Another name',
    )
    expect(after.get(`${settingsKey.pk} ${settingsKey.sk}`)?.values).toMatchObject({ 'next.release': 2 })
    const changed = stored.filter(
      item => !isDeepStrictEqual(item, withAdded(before.get(`${item.pk} ${item.sk}`) ?? item)),
    )
    const changedKinds = new Set([...changed.map(({ pk }) => kindOf(pk)), ...SOMETIMES_CHANGED])
    expect(Object.keys(KINDS).filter(kind => !changedKinds.has(kind))).toEqual(NEVER_CHANGED)
  })
})
