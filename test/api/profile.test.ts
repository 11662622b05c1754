// The caller's profile: what can be changed, and where it is shown.
import { describe, expect, it } from 'vitest'
import { me } from '../../shared/accounts/contract.ts'
import { listUsers } from '../../shared/accounts/store/users.ts'
import { posts } from '../../shared/posts/contract.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

function change(token: string, body: unknown) {
  return world.call(me.changeMe, { token, body })
}

async function read(token: string) {
  return (await world.call(me.getMe, { token })).data
}

const AVATAR = 'https://cdn.example/ada.png?size=80'

describe('PATCH /api/v1/me', () => {
  it('changes only the members of the request, and returns the profile', async () => {
    const { token } = await world.create.user()
    const before = await read(token)
    const bio = ' Two lines,\nas they are typed. '
    const changed = (await change(token, { name: ' Ada ', bio, avatar: AVATAR, email: 'x@example.com' })).data
    expect(changed).toEqual({ ...before, name: 'Ada', bio, avatar: AVATAR })
    expect(await read(token)).toEqual(changed)

    expect((await change(token, {})).data).toEqual(changed)
    expect((await change(token, { name: 'Ada' })).data).toEqual(changed)
    expect((await change(token, { bio: null, avatar: null })).data).toEqual({ ...before, name: 'Ada' })
  })

  it('changes the author that posts show and the list of users', async () => {
    const author = await world.create.user()
    const post = await world.create.livePost({ author_id: author.id })
    await change(author.token, { name: 'Grace', avatar: AVATAR })
    // This author was not read before, so no older profile is cached.
    const { data } = await world.call(posts.getPost, { params: { slug: post.slug } })
    expect(data.author).toEqual({ name: 'Grace', avatar: AVATAR })
    const { items } = await listUsers(world.table, 1, 100)
    expect(items.find(({ id }) => id === author.id)).toMatchObject({ name: 'Grace', avatar: AVATAR })
  })

  it.each([
    [{ name: ' ' }, ['name']],
    [{ name: null, bio: 7 }, ['bio', 'name']],
    [{ name: 'x'.repeat(256) }, ['name']],
    [{ bio: '🔑'.repeat(501) }, ['bio']],
    [{ avatar: '/ada.png' }, ['avatar']],
    [{ avatar: 'javascript:alert(1)' }, ['avatar']],
    [{ avatar: `https://a.example/${'x'.repeat(2048)}` }, ['avatar']],
    [{ avatar: '' }, ['avatar']],
    [{ avatar: 'https://me:secret@a.example/' }, ['avatar']],
    [{ avatar: 'https://a.example/\tb' }, ['avatar']],
  ])('returns 422 for %j', async (wrong, fields) => {
    const { token } = await world.create.user()
    const answer = await change(token, { bio: 'fine', ...wrong })
    expect([answer.status, Object.keys(answer.fields ?? {}).sort()]).toEqual([422, fields])
    expect((await read(token)).bio).toBe(null)
  })

  it('keeps all of nine concurrent changes of three members', async () => {
    const { token } = await world.create.user()
    const changes = [{ name: 'Ada' }, { bio: '🔑'.repeat(500) }, { avatar: AVATAR }]
    const answers = await Promise.all([...changes, ...changes, ...changes].map(body => change(token, body)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await read(token)).toMatchObject(Object.assign({}, ...changes))
  })
})
