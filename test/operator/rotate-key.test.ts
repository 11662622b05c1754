// Keys are rotated under load, by a command that is killed: no request, delivery, cursor or link fails.
import { createHmac } from 'node:crypto'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { secretOutput } from '../../infra/names.ts'
import { findKey, slotsIn } from '../../shared/aws/secret-value.ts'
import { posts } from '../../shared/posts/contract.ts'
import { SECRET_NAMES, type SecretName } from '../../shared/runtime/parameters.ts'
import { keyIdOf } from '../../shared/table/sealed.ts'
import { changeWebhook } from '../../shared/webhooks/commands/webhooks.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { sealSecret } from '../../shared/webhooks/secret.ts'
import { findWebhook, listFanOutEntries } from '../../shared/webhooks/store/webhooks.ts'
import { newsletterWorld } from '../support/newsletter-world.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { useWorld } from '../support/world.ts'
import { underLoad } from './load.ts'
import { run, stageOf } from './operator-process.ts'
import { operatorOn } from './operator-world.ts'

const world = useWorld({ isNew: true })

const SUBSCRIPTIONS = 12

function secretId(name: SecretName): string {
  return world.outputs[secretOutput(name)] ?? ''
}

function secretValue(name: SecretName): string {
  return world.secrets.values[secretId(name)] ?? ''
}

const realNow = Date.now
afterAll(() => void vi.restoreAllMocks())

/** As if the keys had been rotated an hour ago, and each function had read them since. */
function anHourLater(): void {
  for (const name of SECRET_NAMES) {
    const slots = slotsIn(secretValue(name))
    const rotatedAt = slots.rotatedAt - 3_600
    world.secrets.values[secretId(name)] = JSON.stringify({ ...slots, rotatedAt })
  }
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + 11 * 60_000)
}

/** The numbers of the keys that seal the stored secrets of subscriptions. */
async function sealingKeys(): Promise<number[]> {
  const entries = await listFanOutEntries(world.table)
  const webhooks = await Promise.all(
    entries.map(({ owner_id: ownerId, id }) => findWebhook(world.table, { ownerId, id })),
  )
  const sealed = webhooks.flatMap(webhook => [webhook?.sealed_secret, webhook?.sealed_headers])
  return sealed.flatMap(text => (text === undefined ? [] : keyIdOf(text)))
}

describe('rotate-key', () => {
  it('lets no request, delivery, cursor or link fail, although the command is killed', async () => {
    const readers = newsletterWorld(world)
    const receiver = await openSubscriber()
    const subscribe = () => world.create.webhook(receiver.url, { events: ['post.published'] })
    const subscriptions = await Promise.all(Array.from({ length: SUBSCRIPTIONS }, subscribe))
    for (let n = 0; n < 3; n++) await world.create.livePost()
    const nextCursor = async (after: string | null) => {
      const query = { per_page: 1, ...(after !== null && { after }) }
      const answer = await world.call(posts.listPosts, { query })
      expect(answer.status).toBe(200)
      return answer.cursor.next
    }
    const oldCursor = await nextCursor(null)
    const oldLink = await readers.pending()
    let cursor = oldCursor
    const cursors = new Set<number>()
    const created: number[] = []
    const idempotent = { name: 'Kept', url: receiver.url, events: ['post.deleted'] }
    const createOnce = () =>
      world.call(adminWebhooks.createWebhook, {
        token: world.admin,
        body: idempotent,
        headers: { 'Idempotency-Key': 'the same' },
      })
    const kept = await createOnce()

    const acts = {
      cursors: async () => {
        cursor = await nextCursor(cursor)
        const next = await nextCursor(oldCursor)
        if (next !== null) cursors.add(next.split('.').length)
      },
      links: async () => {
        const { token } = await readers.subscribed()
        expect((await readers.unsubscribe(token)).status).toBe(200)
        expect((await readers.confirm(oldLink.token)).status).toBe(200)
      },
      deliveries: async () => {
        const asAdmin = { token: world.admin, params: { id: (await subscribe()).id } }
        expect((await world.call(adminWebhooks.testWebhook, asAdmin)).status).toBe(200)
        expect((await world.call(adminWebhooks.deleteWebhook, asAdmin)).status).toBe(200)
        created.push((await world.create.livePost()).id)
        expect((await createOnce()).data).toEqual(kept.data)
      },
    }
    const before = underLoad(acts)
    await before.round()
    for (const name of ['ClientKey', 'PrivateKey'] as const) {
      const rotated = await operatorOn(world).json(['rotate-key', name])
      expect(rotated).toMatchObject({ name, key_id: 2, is_new: true })
    }
    await before.round()
    await before.stop()
    await until('nothing to be left to do', () => world.isIdle())
    await operatorOn(world).json(['doctor', '--repair'])
    expect([cursors, new Set(await sealingKeys())]).toEqual([new Set([1]), new Set([1])])

    anHourLater()
    const load = underLoad(acts)
    await load.round()
    expect(cursors).toEqual(new Set([1, 2]))

    const killing = new AbortController()
    const argv = ['doctor', '--repair', '--json', '--stage', 'dev']
    let left = 5
    const environment = await stageOf(world, async (call, next) => {
      const answer = await next(call)
      if (call.operation === 'TransactWriteItems' && --left === 0) killing.abort()
      return answer
    })
    const killed = await run(argv, environment, killing.signal)
    expect([killed.out, killed.wasKilled]).toEqual(['', true])
    expect(new Set(await sealingKeys())).toEqual(new Set([1, 2]))
    await load.round()
    await load.stop()

    await operatorOn(world).json(['doctor', '--repair'])
    expect(new Set(await sealingKeys())).toEqual(new Set([2]))
    const secrets = subscriptions.map(({ secret }) => secret ?? '')
    /** The secrets with which the deliveries of a post are signed. */
    const signaturesOf = (id: number) =>
      receiver
        .named('post.published')
        .filter(({ data }) => data.id === id)
        .flatMap(({ body, headers }) =>
          secrets.filter(
            secret => createHmac('sha256', secret).update(body).digest('hex') === headers.signature,
          ),
        )
    for (const id of created) {
      await until(`the deliveries of post ${id}`, () => signaturesOf(id).length >= secrets.length)
    }
    await until('nothing to be left to do', () => world.isIdle())
    for (const id of created) {
      expect(signaturesOf(id).toSorted(), `the deliveries of post ${id}`).toEqual(secrets.toSorted())
    }
    const all = await world.call(adminWebhooks.listWebhooks, { token: world.admin })
    expect(all.data.filter(({ failed_deliveries }) => failed_deliveries > 0)).toEqual([])
  })

  it('removes the previous key only when nothing needs it', async () => {
    const operator = operatorOn(world)
    const finish = ['rotate-key', 'PrivateKey', '--finish']
    const early = ['rotate-key', 'ClientKey', '--finish', '--early']
    const inUse = /was not removed: it may be in use until 20[-\dT:]+\+00:00\./
    expect(await operator.refusal(finish)).toMatch(inUse)
    expect(await operator.refusal([...finish, '--early'])).toMatch(inUse)

    const { id } = await world.create.webhook('https://example.com/hook')
    const previous = findKey(secretValue('PrivateKey'), 1) ?? ''
    const sealed_secret = sealSecret({ PRIVATE_KEY: previous }, id, 'whsec_old')
    const ref = { ownerId: world.owner.id, id }
    await changeWebhook(unitOfWorkOn(world.table), ref, before => ({ ...before, sealed_secret }))
    const inDays = (days: number) => operatorOn(world, () => Date.now() + days * 86_400_000)
    // Answers last a day, and functions keep them under the previous key for a good hour after the rotation.
    expect(await inDays(1.01).refusal(early)).toMatch(inUse)
    expect(await inDays(36).refusal(finish)).toContain('still seals the secrets of 1 subscr')
    expect(await operator.json(['rotate-key', 'PrivateKey'])).toMatchObject({ is_new: false })
    const problem = { subject: `webhook ${id}`, message: 'its secret is sealed with a previous key.' }
    expect(await operator.json(['doctor'])).toMatchObject({ wrong: 0 })
    expect(await operator.json(['doctor', '--repair'])).toMatchObject({ problems: [problem], repaired: 1 })
    expect(await inDays(36).json(finish)).toMatchObject({ removed: 1 })
    expect(await inDays(2).json(early)).toMatchObject({ removed: 1 })
    const slots = slotsIn(secretValue('PrivateKey'))
    expect([slots.current.id, slots.previous]).toEqual([2, undefined])
  })

  it('lets one of two commands at the same time create the key', async () => {
    const rotate = () => operatorOn(world).json(['rotate-key', 'PrivateKey'])
    const rotations = await Promise.all([rotate(), rotate()])
    expect(rotations.map(({ key_id }) => key_id)).toEqual([3, 3])
    expect(slotsIn(secretValue('PrivateKey'))).toMatchObject({ current: { id: 3 }, previous: { id: 2 } })
  })
})
