// Comments are created, moderated and deleted concurrently: at the end every list follows the rules.
import { beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../../shared/http/errors.ts'
import { injectFaults } from '../support/faults.ts'
import { use } from '../support/use.ts'
import { openComments, visibleIds } from './comment-world.ts'

const world = use(openComments)
let faults: ReturnType<typeof injectFaults>
beforeAll(async () => {
  faults = injectFaults(world.client)
})

/** Ignores the errors of a change whose comment, parent or post was hidden or deleted before it. */
async function ignoreHidden(act: Promise<unknown>): Promise<void> {
  await act.catch(error => {
    if (!(error instanceof ApiError) || !['NOT_FOUND', 'VALIDATION_ERROR'].includes(error.code)) throw error
  })
}

/** Handles all cleanup messages, several in parallel, until none is left. */
async function cleanUpAll() {
  while (world.messages.length > 0) {
    const messages = world.messages.splice(0)
    const isMore = await Promise.all(messages.map(message => world.cleanUp(message)))
    world.messages.push(...messages.filter((_, n) => isMore[n]))
  }
}

/** Compares the public list of the post with the states of its comments. */
async function expectConsistent(post: { id: number; slug: string }) {
  expect(await world.read.public(post)).toEqual(visibleIds(await world.statesOf(post)))
}

/** With fewer comments at the end, the case proves little. */
const FEWEST = 10

describe('comments that are created, moderated and deleted concurrently', () => {
  it('leave lists that match the states of the comments', async () => {
    const post = await world.post('Raced')
    const roots = await Promise.all([1, 2, 3].map(user => world.submit(post, user)))
    const replies = await Promise.all(
      roots.flatMap(({ id }) => [1, 2, 3].map(user => world.submit(post, user, id))),
    )
    // On a busy machine most replies fail because their parent is hidden. Each further round adds a root.
    const areFew = async () => {
      await cleanUpAll()
      return (await world.statesOf(post)).length <= FEWEST
    }
    for (let round = 0; round < 4 || (round < 40 && (await areFew())); round++) {
      const acts = [
        ...roots.flatMap(({ id }) => [world.reject(id), world.approve(id), world.submit(post, 1, id)]),
        ...replies.flatMap(({ id }) => [world.submit(post, 2, id), world.reject(id), world.approve(id)]),
        ...(round === 2 ? [world.remove(roots[0]?.id ?? 0), world.remove(replies[4]?.id ?? 0)] : []),
        world.submit(post, 3),
        cleanUpAll(),
      ]
      await Promise.all(acts.map(ignoreHidden))
    }
    await cleanUpAll()
    const states = await world.statesOf(post)
    const idsWhere = (is: (state: (typeof states)[number]) => boolean) =>
      states
        .filter(is)
        .map(({ id }) => id)
        .sort((a, b) => b - a)
    expect(states.length).toBeGreaterThan(FEWEST)
    await expectConsistent(post)
    expect(await world.read.admin()).toEqual(idsWhere(() => true))
    for (const status of ['approved', 'rejected'] as const) {
      expect(await world.read.admin(status)).toEqual(idsWhere(state => state.status === status))
    }
    for (const user of [1, 2, 3]) {
      expect(await world.read.own(user)).toEqual(idsWhere(state => state.user_id === user))
    }
    const ids = new Set(idsWhere(() => true))
    for (const { path } of states) expect(path.filter(id => !ids.has(id))).toEqual([])
  })

  it('leave no record behind when their post is deleted at the same time', async () => {
    const post = await world.post('Deleted')
    const others = (await world.read.admin()).length
    const roots = await Promise.all([1, 2, 3, 4].map(user => world.submit(post, user)))
    await Promise.all(roots.map(({ id }) => world.submit(post, 1, id)))
    const acts = roots.flatMap(({ id }) => [world.reject(id), world.submit(post, 2, id), world.remove(id)])
    await Promise.all(
      [...acts, world.removePost(post), ...roots.map(() => world.submit(post, 3))].map(ignoreHidden),
    )
    await cleanUpAll()
    expect(await world.statesOf(post)).toEqual([])
    expect((await world.read.admin()).length).toBe(others)
  })
})

describe('a reply whose parent is deleted at the same time', () => {
  it('is deleted too, if it is written while the cleanup is deleting its parent', async () => {
    const post = await world.post('Deleted below')
    const root = await world.submit(post, 1)
    const reply = await world.submit(post, 2, root.id)
    await world.remove(root.id)
    const commit = faults.pauseRequest({ operation: 'TransactWriteItems', mentions: `COMMENT#${reply.id}` })
    const cleaned = cleanUpAll()
    await commit.reached
    const late = await world.submit(post, 3, reply.id)
    commit.release()
    await cleaned
    expect(await world.statesOf(post)).toEqual([])
    expect(await world.read.admin()).not.toContain(late.id)
    expect(await world.read.own(3)).not.toContain(late.id)
    expect(await world.read.public(post)).toEqual([])
  })
})

describe('a reply whose parent is rejected or deleted before it is written', () => {
  it.each(['reject', 'remove'] as const)('is refused after %s', async act => {
    const post = await world.post(`Changed above by ${act}`)
    const root = await world.submit(post, 1)
    const commit = faults.pauseRequest({ operation: 'TransactWriteItems', mentions: 'comment.created' })
    const change = world.submit(post, 2, root.id)
    await commit.reached
    await world[act](root.id)
    await cleanUpAll()
    commit.release()
    await expect(change).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    const left = act === 'reject' ? [root.id] : []
    expect((await world.statesOf(post)).map(({ id }) => id)).toEqual(left)
    await expectConsistent(post)
  })
})
