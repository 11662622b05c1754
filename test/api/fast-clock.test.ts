// A function's clock was an hour fast, and has written a public change. Nobody subscribes to anything here.
import { describe, expect, it } from 'vitest'
import { me } from '../../shared/accounts/contract.ts'
import { PLACES_PER_MS } from '../../shared/feed/note.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { setMembers } from '../../shared/table/action.ts'
import { scheduledKey, versionKey } from '../../shared/table/design.ts'
import { noise } from '../support/noise.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

async function writeAnHourAhead() {
  const ahead = setMembers({ last_change: (Date.now() + 3_600_000) * PLACES_PER_MS })
  await world.table.write({ Update: { Key: versionKey, ...ahead } })
}

describe('PATCH /api/v1/me', () => {
  it('changes the name of an author whose posts are public', async () => {
    const author = await world.create.user()
    const { slug } = await world.create.livePost({ author_id: author.id })
    await writeAnHourAhead()
    const { data } = await world.call(me.changeMe, { token: author.token, body: { name: 'Grace' } })
    expect(data.name).toBe('Grace')
    await until('the new name', async () => {
      const post = await world.call(posts.getPost, { params: { slug } })
      return post.data.author?.name === 'Grace'
    })
  })
})

describe('a scheduled post', () => {
  it('is announced when it is due, also if its body is stored in parts', async () => {
    await writeAnHourAhead()
    for (let seconds = 2, status = ''; status !== 'scheduled'; seconds *= 2) {
      const posted_at = Math.floor(Date.now() / 1000) + seconds
      const at = new Date(posted_at * 1000).toISOString()
      const post = await world.create.livePost({ posted_at: at, body: noise(600_000) })
      const asAdmin = { token: world.admin, params: { id: post.id } }
      status = (await world.call(adminPosts.getPost, asAdmin)).data.status
      const row = scheduledKey(posted_at, post.id)
      await until('its announcement', async () => (await world.table.findMany([row])).length === 0)
    }
  })
})
