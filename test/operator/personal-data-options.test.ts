// `user erase` with options: what it deletes with the person, and to whom it gives the posts.
import { describe, expect, it } from 'vitest'
import { me } from '../../shared/accounts/contract.ts'
import { adminComments } from '../../shared/comments/contract.ts'
import { posts } from '../../shared/posts/contract.ts'
import { adminTickets } from '../../shared/tickets/contract.ts'
import { useWorld } from '../support/world.ts'
import { operatorOn } from './operator-world.ts'
import { expectNothingWrong, openPerson } from './personal-data-world.ts'

const world = useWorld()

function erase(email: string, ...options: string[]) {
  return operatorOn(world).run(['user', 'erase', email, '--yes', ...options])
}

describe('user erase', () => {
  it('deletes comments and tickets with --delete-content, and keeps every count exact', async () => {
    const person = await openPerson(world)
    expect(await erase(person.email, '--delete-content')).toMatchObject({ code: 0 })
    for (const { id } of [person.comments.own, person.comments.guest]) {
      const call = await world.call(adminComments.approveComment, { token: world.admin, params: { id } })
      expect(call.status).toBe(404)
    }
    const own = { token: world.admin, params: { id: person.ticket.id } }
    expect((await world.call(adminTickets.getTicket, own)).status).toBe(404)
    const foreign = { token: world.admin, params: { id: person.foreignTicket.id } }
    expect((await world.call(adminTickets.getTicket, foreign)).data.replies).toMatchObject([
      { author: { name: 'Deleted user' }, body: 'Done.' },
    ])
    await expectNothingWrong(world)
  })

  it('gives the posts to another account with --posts-to', async () => {
    const person = await openPerson(world)
    expect(await erase(person.email, '--posts-to', person.other.email)).toMatchObject({ code: 0 })
    const { data } = await world.call(posts.getPost, { params: { slug: person.own.slug } })
    expect(data.author.name).toBe(person.other.name)
    await expectNothingWrong(world)
  })

  it('refuses to give the posts to the erased account, before it changes anything', async () => {
    const { email, token } = await world.create.user()
    const { code, err } = await erase(email, '--posts-to', email)
    expect([code, err]).toEqual([1, expect.stringContaining('--posts-to names the account')])
    expect((await world.call(me.getMe, { token })).status).toBe(200)
  })
})
