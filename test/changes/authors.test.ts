// What the changes since a cursor say of authors: one entry `all` if a public post or page shows the author.
import { describe, expect, it } from 'vitest'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { findVersion } from '../../shared/cache/version.ts'
import { authorKey } from '../../shared/table/design.ts'
import { newTable } from '../world/new-table.ts'
import { linesOf, openSite } from './site.ts'

const START_MS = Date.parse('2026-01-01T12:00:00Z')
const DUE_SECONDS = START_MS / 1000 + 86_400
const FRESH = { name: 'Bea', email: 'bea@example.com', email_verified: true, password_hash: null }

/** A site of its own, and a user who has written nothing. */
async function openOwnSite() {
  const own = await newTable()
  const site = await openSite(own, START_MS)
  const { id } = await createUser(site.table, FRESH, START_MS / 1000)
  let names = 0
  /** What a new name of the user changes: entries, the cursor, and the version. */
  const rename = async () => {
    const before = [(await site.poll()).next, await findVersion(site.table)] as const
    await site.changeUser(id, { name: `Bea ${names++}` })
    const { data } = await site.pollAll(before[0])
    const after = [(await site.poll()).next, await findVersion(site.table)] as const
    return { lines: linesOf(data), isCursorKept: before[0] === after[0], versions: [before[1], after[1]] }
  }
  const expectNoTrace = async () => {
    const { lines, isCursorKept, versions } = await rename()
    expect({ lines, isCursorKept }).toEqual({ lines: [], isCursorKept: true })
    expect(versions[1]).toEqual(versions[0])
  }
  return { ...site, id, stop: own.stop, rename, expectNoTrace }
}

describe('another name or picture of an author', () => {
  it.each([{ name: 'Ada Lovelace' }, { avatar: 'https://a.example/ada.png' }])(
    'is one entry `all` if a public post shows it, however often it changes: %j',
    async change => {
      const { author, ...site } = await openOwnSite()
      await site.post()
      const { next } = await site.poll()
      await site.changeUser(author.id, { bio: 'New' })
      expect((await site.poll(next)).data).toEqual([])
      await site.changeUser(author.id, change)
      await site.changeUser(author.id, { name: 'Another' })
      expect(linesOf((await site.poll(next, { include: 'body' })).data)).toEqual(['all upserted'])
      await site.stop()
    },
  )

  it('leaves no trace of a user whom no post or page shows', async () => {
    const site = await openOwnSite()
    await site.post()
    await site.expectNoTrace()
    await site.stop()
  })

  it.each(['post', 'page'] as const)('is noted from when a %s of the author is scheduled', async type => {
    const site = await openOwnSite()
    const draft = await site.post({ is_published: false, content_type: type }, site.id)
    await site.expectNoTrace()
    await site.change(draft.id, { is_published: true, posted_at: DUE_SECONDS })
    expect((await site.rename()).lines).toEqual(['all upserted'])
    site.advance(DUE_SECONDS * 1000 - site.nowMs())
    expect((await site.rename()).lines).toContain('all upserted')
    await site.stop()
  })

  it('is noted of the author that a published post gets', async () => {
    const site = await openOwnSite()
    const post = await site.post()
    await site.change(post.id, { author_id: site.id })
    expect((await site.rename()).lines).toEqual(['all upserted'])
    await site.stop()
  })

  it('is noted of a user whose profile was missing', async () => {
    const site = await openOwnSite()
    const UpdateExpression = 'REMOVE is_shown'
    await site.table.write({ Update: { Key: authorKey(site.id), UpdateExpression } })
    expect((await site.rename()).lines).toEqual(['all upserted'])
    await site.stop()
  })
})
