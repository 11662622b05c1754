// What the changes since a cursor say of authors: one entry `all` if a public post or page shows the author.
import { describe, expect, it } from 'vitest'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { findVersion } from '../../shared/cache/version.ts'
import { authorKey } from '../../shared/table/design.ts'
import { linesOf, openOwnSite, START_MS } from './site.ts'

const DUE_SECONDS = START_MS / 1000 + 86_400
const FRESH = { name: 'Bea', email: 'bea@example.com', email_verified: true, password_hash: null }

/** A site, and a user who has written nothing. */
async function openWithUser() {
  const site = await openOwnSite()
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
  return { ...site, id, rename, expectNoTrace }
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
    },
  )

  it('leaves no trace of a user whom no post or page shows', async () => {
    const site = await openWithUser()
    await site.post()
    await site.expectNoTrace()
  })

  it('leaves no trace while only drafts and scheduled posts show the author, and one after the announcement', async () => {
    const site = await openWithUser()
    await site.post({ is_published: false }, site.id)
    const scheduled = await site.post({ posted_at: DUE_SECONDS }, site.id)
    await site.expectNoTrace()
    site.advance(DUE_SECONDS * 1000 - site.nowMs())
    expect((await site.rename()).lines).toContain('all upserted')
    await site.announce(scheduled, DUE_SECONDS)
    expect((await site.rename()).lines).toContain('all upserted')
  })

  it.each(['post', 'page'] as const)('leaves no trace after the only %s has left public view', async type => {
    const site = await openWithUser()
    const leaving = [
      (id: number) => site.change(id, { is_published: false }),
      (id: number) => site.change(id, { posted_at: DUE_SECONDS }),
      (id: number) => site.change(id, { author_id: site.author.id }),
      (id: number) => site.remove(id),
    ]
    for (const leave of leaving) {
      const post = await site.post({ content_type: type }, site.id)
      expect((await site.rename()).lines).toEqual(['all upserted'])
      await leave(post.id)
      await site.expectNoTrace()
    }
  })

  it('forgets names shortly before a scheduled post of the author is due, without an entry', async () => {
    const site = await openWithUser()
    await site.post({ posted_at: DUE_SECONDS }, site.id)
    site.advance(DUE_SECONDS * 1000 - 50_000 - site.nowMs())
    const { lines, isCursorKept, versions } = await site.rename()
    expect({ lines, isCursorKept }).toEqual({ lines: [], isCursorKept: true })
    expect(versions[1]?.names).toBeGreaterThan(versions[0]?.names ?? 0)
  })

  it('is noted of an author whose posts are not counted, because the profile was missing', async () => {
    const site = await openWithUser()
    const UpdateExpression = 'REMOVE public_posts'
    await site.table.write({ Update: { Key: authorKey(site.id), UpdateExpression } })
    expect((await site.rename()).lines).toEqual(['all upserted'])
  })
})
