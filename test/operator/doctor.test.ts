// The doctor on a whole service, intact and with each kind of drift. What is missing of a record, or left of
// a deleted one, is in each-record-type.test.ts for every type.
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { outboxRow } from '../../shared/events/outbox.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { PackedText } from '../../shared/table/blob.ts'
import {
  blobPartKey,
  bodyKey,
  descriptionKey,
  entryKey,
  postKey,
  slugKey,
} from '../../shared/table/design.ts'
import { ticketWorld } from '../support/ticket-world.ts'
import { useWorld } from '../support/world.ts'
import { driftsOf, tableEditor } from './drifts.ts'
import { linesOf, operatorOn } from './operator-world.ts'

const world = useWorld({ isNew: true })
const operator = operatorOn(world)

function isAboutList(line: string) {
  return line.startsWith('list ')
}

const HEALTHY = /^Read \d+ items: \d+ records, \d+ lists\.\nNothing is wrong\.\n$/

describe('doctor', () => {
  it('reports nothing on an intact service, and changes nothing with --repair', async () => {
    const category = await world.create.category()
    await Promise.all([
      world.create.livePost({ category_ids: [category.id], body: 'large'.repeat(200_000) }),
      world.create.livePost({ category_ids: [category.id], posted_at: '2999-01-01' }),
      world.create.post(),
      world.create.livePost({ content_type: 'page' }),
      world.create.user({ password: 'a password' }),
      world.create.webhook('https://example.com/hook'),
    ])
    for (const argv of [['doctor'], ['doctor', '--repair']]) {
      const { code, out } = await operator.run(argv)
      expect(out).toMatch(HEALTHY)
      expect(code).toBe(0)
    }
  })

  it('reports each kind of drift and repairs it', async () => {
    const expected: string[] = []
    for (const plant of Object.values(driftsOf(world))) expected.push(...(await plant()))

    const found = await operator.json(['doctor'], { code: 1 })
    const lines = linesOf(found.problems)
    expect(lines.filter(line => !isAboutList(line))).toEqual(expect.arrayContaining(expected))
    expect(lines.filter(line => !isAboutList(line))).toHaveLength(expected.length)
    for (const list of ['drafts:post', 'category:\\d+']) {
      expect(lines).toContainEqual(
        expect.stringMatching(`^list ${list}: has \\d+ entries below its node, but its root counts`),
      )
    }
    expect(lines).toContainEqual(
      expect.stringMatching(/^list category:\d+: has 1 entries left, but its record was deleted/),
    )
    expect(found).toMatchObject({ wrong: lines.length, repaired: 0 })

    const after = await operator.json(['doctor', '--repair'])
    expect(linesOf(after.problems)).toEqual(lines)
    expect(after).toMatchObject({ wrong: lines.length, repaired: lines.length })
    expect((await operator.run(['doctor'])).out).toMatch(HEALTHY)
  })

  it('reports nothing while the service writes', async () => {
    const { id } = await world.create.post()
    const writing = (async () => {
      for (let n = 0; n < 12; n++) {
        await world.call(adminPosts.changePost, {
          token: world.admin,
          params: { id },
          body: { title: `Title ${n}`, slug: `slug-${n}`, is_published: n % 2 === 0 },
        })
      }
    })()
    const runs = [await operator.run(['doctor']), await operator.run(['doctor'])]
    await writing
    for (const { out } of runs) expect(out).toMatch(HEALTHY)
  })

  it('leaves the messages of a stopped service in the outbox', async () => {
    const row = outboxRow({ queue: 'jobs', body: { kind: 'list', list: 'none' } }, Date.now() - 180_000)
    await world.table.write({ Put: { Item: row } })
    const { out } = await operatorOn(world, Date.now, { isIdle: true }).run(['doctor', '--repair'])
    expect(out).toMatch(HEALTHY)
    const key = { pk: row.pk, sk: row.sk }
    expect(await world.table.findMany([key])).toHaveLength(1)
    await world.table.removeMany([key])
  })

  it('reports what it cannot repair, and exits with 1', async () => {
    const { put, edit, remove } = tableEditor(world)
    const { post } = world.create
    const [body, unreadable, first, second] = [await post(), await post(), await post(), await post()]
    // Random letters stay large when they are compressed.
    const large = await post({ body: randomBytes(150_000).toString('base64') })
    await remove(bodyKey(body.id))
    const ticket = await ticketWorld(world).oldTicket(1)
    await remove(descriptionKey(ticket.id))
    await put({ ...postKey(unreadable.id), id: unreadable.id })
    await edit(postKey(second.id), { slug: first.slug })
    await remove(slugKey(second.slug))
    const { blob } = PackedText.parse((await world.table.findMany([bodyKey(large.id)]))[0])
    await remove(blobPartKey(blob?.name ?? '', 0))
    await put({ ...entryKey('a list of tomorrow', 'x'), item: {} })

    const { problems, wrong, repaired } = await operator.json(['doctor', '--repair'], { code: 1 })
    const messages = [
      `post ${body.id}: its body is missing. It cannot be restored.`,
      `ticket ${ticket.id}: its text is missing. It cannot be restored.`,
      `post ${unreadable.id}: cannot be read.`,
      `post ${second.id}: its slug lock belongs to post ${first.id}, which needs it as well. Change one of them.`,
      `post ${large.id}: 1 of the 1 parts of its large text are missing. It cannot be restored.`,
      'list a list of tomorrow: is unknown to this version and was not checked.',
    ]
    expect(linesOf(problems)).toEqual(expect.arrayContaining(messages))
    // The entries of the second post, which have its old slug, were repaired.
    expect(wrong - repaired).toBe(messages.length)
    expect(await operator.json(['doctor'], { code: 1 })).toMatchObject({
      wrong: messages.length,
      repaired: 0,
    })
  })
})
