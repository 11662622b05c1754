// The caller's profile: what can be changed, and where it is shown.
import { describe, expect, it } from 'vitest'
import { me } from '../../shared/accounts/contract.ts'
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
