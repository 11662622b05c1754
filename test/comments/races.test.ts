// Everybody at once: whatever wins, in the end each list holds exactly what the rules say, and nothing is lost.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../../shared/http/errors.ts'
import { injectFaults } from '../world/faults.ts'
import { type CommentWorld, openComments, shownOf, type Tidying } from './comment-world.ts'

let world: CommentWorld
let faults: ReturnType<typeof injectFaults>
beforeAll(async () => {
  world = await openComments()
  faults = injectFaults(world.client)
})
afterAll(() => world.stop())

/** What was deleted or hidden meanwhile is not there for a late one. */
async function mayBeGone(act: Promise<unknown>): Promise<void> {
  await act.catch(error => {
    if (!(error instanceof ApiError) || !['NOT_FOUND', 'VALIDATION_ERROR'].includes(error.code)) throw error
  })
}

/** All that was ordered, several at once, until nothing is left of it. */
async function tidyAll() {
  while (world.ordered.length > 0) {
    const messages = world.ordered.splice(0)
    const next = await Promise.all(messages.map(message => world.step(message)))
    world.ordered.push(...next.filter((one): one is Tidying => one !== undefined))
  }
}

/** Its lists are what its comments' standings say. */
async function expectRight(post: { id: number; slug: string }) {
  const standings = await world.standingsOf(post)
  const listed = standings.filter(({ is_listed }) => is_listed).map(({ id }) => id)
  expect(listed.sort((a, b) => a - b)).toEqual(shownOf(standings))
  expect(await world.read.public(post)).toEqual(shownOf(standings))
}

/** With fewer left the race proves little. */
const FEWEST = 10

describe('comments said, answered, judged and deleted at once', () => {
  it('end in lists that are what their standings say', async () => {
    const post = await world.post('Raced')
    const roots = await Promise.all([1, 2, 3].map(user => world.say(post, user)))
    const replies = await Promise.all(
      roots.flatMap(({ id }) => [1, 2, 3].map(user => world.say(post, user, id))),
    )
    // On a busy machine many replies come while their parent is hidden: then a few more rounds.
    const areFew = async () => (await world.standingsOf(post)).length <= FEWEST
    for (let round = 0; round < 4 || (round < 40 && (await areFew())); round++) {
      const acts = [
        ...roots.flatMap(({ id }) => [world.reject(id), world.approve(id), world.say(post, 1, id)]),
        ...replies.flatMap(({ id }) => [world.say(post, 2, id), world.reject(id), world.approve(id)]),
        ...(round === 2 ? [world.remove(roots[0]?.id ?? 0), world.remove(replies[4]?.id ?? 0)] : []),
        tidyAll(),
      ]
      await Promise.all(acts.map(mayBeGone))
    }
    await tidyAll()
    const standings = await world.standingsOf(post)
    const idsWhere = (is: (one: (typeof standings)[number]) => boolean) =>
      standings
        .filter(is)
        .map(({ id }) => id)
        .sort((a, b) => b - a)
    expect(standings.length).toBeGreaterThan(FEWEST)
    await expectRight(post)
    expect(await world.read.admin()).toEqual(idsWhere(() => true))
    for (const status of ['approved', 'rejected'] as const) {
      expect(await world.read.admin(status)).toEqual(idsWhere(one => one.status === status))
    }
    for (const user of [1, 2, 3]) {
      expect(await world.read.own(user)).toEqual(idsWhere(one => one.user_id === user))
    }
    const ids = new Set(idsWhere(() => true))
    for (const { path } of standings) expect(path.filter(id => !ids.has(id))).toEqual([])
  })

  it('leave nothing when their post goes meanwhile', async () => {
    const post = await world.post('Going')
    const others = (await world.read.admin()).length
    const roots = await Promise.all([1, 2, 3, 4].map(user => world.say(post, user)))
    await Promise.all(roots.map(({ id }) => world.say(post, 1, id)))
    const acts = roots.flatMap(({ id }) => [world.reject(id), world.say(post, 2, id), world.remove(id)])
    await Promise.all(
      [...acts, world.removePost(post), ...roots.map(() => world.say(post, 3))].map(mayBeGone),
    )
    expect((await world.read.admin()).length).toBe(others)
    await tidyAll()
    expect(await world.standingsOf(post)).toEqual([])
    expect((await world.read.admin()).length).toBe(others)
  })
})

describe('what was decided on a comment above that is hidden meanwhile', () => {
  it.each(['approving a reply', 'saying an answer to a reply'])('is decided anew: %s', async what => {
    const post = await world.post(`Hidden above: ${what}`)
    const root = await world.say(post, 1)
    const reply = await world.say(post, 2, root.id)
    const isApproving = what === 'approving a reply'
    if (isApproving) await world.reject(reply.id)
    await tidyAll()
    const mentions = isApproving ? 'comment.approved' : 'comment.created'
    const commit = faults.pauseRequest({ operation: 'TransactWriteItems', mentions })
    const late = isApproving ? world.approve(reply.id) : world.say(post, 3, reply.id)
    await commit.reached
    await world.reject(root.id)
    await tidyAll()
    commit.release()
    await mayBeGone(late)
    await expectRight(post)
    expect(await world.read.public(post)).toEqual([])
  })
})
