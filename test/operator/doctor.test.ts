// The doctor on a whole service: well, it has nothing to say; each kind of drift it finds, says and mends.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ThreadRecount } from '../../shared/comments/commands/recount.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import {
  bodyKey,
  chunkKey,
  entryKey,
  postKey,
  RECOUNT_PARTITION,
  slugKey,
} from '../../shared/table/design.ts'
import { Packed } from '../../shared/table/large-text.ts'
import { until } from '../world/until.ts'
import { openWorld, type World } from '../world/world.ts'
import { accountDriftsOf } from './account-drifts.ts'
import { communityDriftsOf } from './community-drifts.ts'
import { contentDriftsOf } from './content-drifts.ts'
import { operatorOn } from './operator-world.ts'

type Finding = { where: string; says: string; isMended: boolean }

let world: World
let operator: ReturnType<typeof operatorOn>
beforeAll(async () => {
  world = await openWorld({ isNew: true })
  operator = operatorOn(world)
})
afterAll(() => world.stop())

function sentences(findings: Finding[]) {
  return findings.map(({ where, says }) => `${where}: ${says}`).sort()
}

function aboutLists(sentence: string) {
  return sentence.startsWith('list ')
}

const HEALTHY = /^Read \d+ items: \d+ records, \d+ lists\.\nNothing is wrong\.\n$/

describe('doctor', () => {
  it('finds nothing wrong with a service that is well, and changes nothing', async () => {
    const category = await world.given.category()
    await Promise.all([
      world.given.livePost({ category_ids: [category.id], body: 'large'.repeat(200_000) }),
      world.given.livePost({ category_ids: [category.id], posted_at: '2999-01-01' }),
      world.given.post(),
      world.given.livePost({ content_type: 'page' }),
      world.given.user({ password: 'a password' }),
      world.given.webhook('https://example.com/hook'),
    ])
    for (const argv of [['doctor'], ['doctor', '--repair']]) {
      const { code, out } = await operator.said(argv)
      expect(out).toMatch(HEALTHY)
      expect(code).toBe(0)
    }
  })

  it('finds each kind of drift, mends it, and then nothing is wrong any more', async () => {
    const expected: string[] = []
    for (const driftsOf of [contentDriftsOf, accountDriftsOf, communityDriftsOf]) {
      for (const { plant } of driftsOf(world)) expected.push(...(await plant()))
    }

    const found = await operator.json(['doctor'], { code: 1 })
    const said = sentences(found.findings)
    expect(said.filter(sentence => !aboutLists(sentence))).toEqual(expect.arrayContaining(expected))
    expect(said.filter(sentence => !aboutLists(sentence))).toHaveLength(expected.length)
    for (const list of ['drafts:all', 'drafts:post', 'admin:all', 'users:email', 'category:\\d+']) {
      expect(said).toContainEqual(
        expect.stringMatching(`^list ${list}: has \\d+ entries, but its root counts`),
      )
    }
    expect(said).toContainEqual(
      expect.stringMatching(/^list category:\d+: is gone with its record, but 1 entries/),
    )
    expect(found).toMatchObject({ wrong: said.length, mended: 0 })

    const mended = await operator.json(['doctor', '--repair'])
    expect(sentences(mended.findings)).toEqual(said)
    expect(mended).toMatchObject({ wrong: said.length, mended: said.length })
    // What moves many comments is set right by the service, in the background.
    await until('the comments to be set right', async () => {
      const moving = await world.table.query({ pk: RECOUNT_PARTITION }, ThreadRecount)
      return moving.length === 0
    })
    expect((await operator.said(['doctor', '--repair'])).out).toMatch(HEALTHY)
  })

  it('gives no false alarm while the service writes', async () => {
    const { id } = await world.given.post()
    const writing = (async () => {
      for (let n = 0; n < 12; n++) {
        await world.call(adminPosts.changePost, {
          token: world.admin,
          params: { id },
          body: { title: `Title ${n}`, slug: `slug-${n}`, is_published: n % 2 === 0 },
        })
      }
    })()
    const runs = [await operator.said(['doctor']), await operator.said(['doctor'])]
    await writing
    for (const { out } of runs) expect(out).toMatch(HEALTHY)
  })

  it('says what it cannot mend, and ends with 1', async () => {
    const [body, unreadable, first, second, large] = await Promise.all([
      world.given.post(),
      world.given.post(),
      world.given.post(),
      world.given.post(),
      // Random letters stay large however they are packed.
      world.given.post({ body: randomBytes(150_000).toString('base64') }),
    ])
    await world.table.removeMany([bodyKey(body.id)])
    const raw = async (id: number) => (await world.table.findMany([postKey(id)]))[0]
    await world.table.write({ Put: { Item: { ...postKey(unreadable.id), id: unreadable.id } } })
    await world.table.write({
      Put: { Item: { ...postKey(second.id), ...(await raw(second.id)), slug: first.slug } },
    })
    await world.table.removeMany([slugKey(second.slug)])
    const { blob } = Packed.parse((await world.table.findMany([bodyKey(large.id)]))[0])
    await world.table.removeMany([chunkKey(blob?.name ?? '', 0)])
    await world.table.write({ Put: { Item: { ...entryKey('a list of tomorrow', 'x'), item: {} } } })

    const { findings, wrong, mended } = await operator.json(['doctor', '--repair'], { code: 1 })
    const says = [
      `post ${body.id}: its body is missing. It cannot be made again.`,
      `post ${unreadable.id}: cannot be read.`,
      `post ${second.id}: its slug lock is that of post ${first.id}, which asks for it too: change one of them.`,
      `post ${large.id}: its large text has 1 parts, of which 1 are missing. It cannot be made again.`,
      'list a list of tomorrow: is none that this version knows, so it was not looked at.',
    ]
    expect(sentences(findings)).toEqual(expect.arrayContaining(says))
    // The lists still show the slug that the second post had.
    expect(wrong - mended).toBe(says.length)
    expect(await operator.json(['doctor'], { code: 1 })).toMatchObject({ wrong: says.length, mended: 0 })
  })
})
