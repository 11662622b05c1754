// The writing part of the smoke test on a good release.
import { describe, expect, it } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { saveSettings } from '../../shared/site/commands/settings.ts'
import { NAME, SLUG } from '../../shared/smoke/write.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { use } from '../world/use.ts'
import { openCloudFormation } from './cloudformation.ts'
import { answering, openGateway } from './gateway-world.ts'
import { openReceiver, openWritingRelease, SECRET, stepsIn } from './writing-release.ts'

const cloudFormation = use(openCloudFormation)

const receiver = use(openReceiver)

describe('the smoke test of a good release with a token', () => {
  const good = use(() => openWritingRelease(cloudFormation))

  it('writes, delivers to the receiver and deletes everything', async () => {
    expect(await good.test({ Receiver: receiver.url })).toMatchObject({ Status: 'SUCCESS' })
    expect(receiver.events()).toEqual(['test.ping', 'post.deleted'])
    expect(await good.left()).toEqual([])
    expect([...new Set(stepsIn(good.lines))]).toEqual([
      'find old subscriptions',
      'find an old draft',
      'write a draft',
      'read the draft',
      'subscribe',
      'ping the receiver',
      'delete the draft',
      'read the deleted draft',
      'read the delivery log',
      'unsubscribe',
      'read the deleted subscription',
    ])
  })

  it('succeeds without a receiver when the worker has recorded its attempt', async () => {
    expect(await good.test()).toMatchObject({ Status: 'SUCCESS' })
    expect(receiver.events()).toEqual([])
    expect(await good.left()).toEqual([])
  })

  it('deletes what a run left that was stopped, and no record of others', async () => {
    const token = { token: good.world.admin }
    const events = ['post.deleted' as const]
    const subscribe = (name: string) =>
      good.world.call(adminWebhooks.createWebhook, { ...token, body: { name, url: receiver.url, events } })
    const create = (title: string, slug: string) =>
      good.world.call(adminPosts.createPost, { ...token, body: { title, slug } })
    await subscribe(NAME)
    await create(NAME, SLUG)
    const others = [await create('A draft', 'a-draft'), await subscribe('My site')]
    expect(await good.test()).toMatchObject({ Status: 'SUCCESS' })
    expect(await good.left()).toEqual(['A draft', 'My site'])
    const [post, webhook] = others.map(({ data }) => ({ ...token, params: { id: data.id } }))
    await good.world.call(adminPosts.deletePost, post)
    await good.world.call(adminWebhooks.deleteWebhook, webhook)
    receiver.events()
  })

  it('writes nothing when the stack is created, which has no admin yet', async () => {
    expect(await good.test({}, { type: 'Create' })).toMatchObject({ Status: 'SUCCESS' })
    expect(stepsIn(good.lines)).toEqual([])
  })

  it('fails with the status of a receiver that refuses its deliveries', async () => {
    receiver.answer(410)
    expect(await good.test({ Receiver: receiver.url })).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringMatching(
        /admin-webhooks: ping the receiver: POST \/api\/v1\/admin\/webhooks\/{id}\/test answered 502 DELIVERY_FAILED: .*410\. \(log group adminwebhookslog\w+\)/,
      ),
    })
    receiver.answer(204)
    receiver.events()
    expect(await good.left()).toEqual([])
  })

  it('fails with the name of a secret that is missing', async () => {
    const { values } = good.world.secrets
    const token = values[SECRET] ?? ''
    delete values[SECRET]
    const answer = await good.test()
    values[SECRET] = token
    expect(answer).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringMatching(
        `The token of the smoke test could not be read from ${SECRET}: ResourceNotFoundException`,
      ),
    })
  })

  it.each([
    ['JSON', '{"token":"the value"}'],
    ['several words', 'the value'],
  ])('fails without the value of a secret that is %s', async (_, value) => {
    const { values } = good.world.secrets
    const token = values[SECRET] ?? ''
    values[SECRET] = value
    const answer = await good.test()
    values[SECRET] = token
    expect(answer).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining('as plain text') })
    expect(JSON.stringify([answer, good.lines])).not.toContain('the value')
  })

  it('fails with 401 for a token that is not valid', async () => {
    const { values } = good.world.secrets
    const token = values[SECRET] ?? ''
    values[SECRET] = 'revoked'
    const answer = await good.test()
    values[SECRET] = token
    expect(answer).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringContaining(
        'find old subscriptions: GET /api/v1/admin/webhooks answered 401 UNAUTHENTICATED',
      ),
    })
  })

  it('succeeds in maintenance, which admins pass', async () => {
    await saveSettings(good.world.table, { 'maintenance.enabled': true })
    expect(await good.test()).toMatchObject({ Status: 'SUCCESS' })
    expect(stepsIn(good.lines)).toContain('unsubscribe')
    await saveSettings(good.world.table, { 'maintenance.enabled': false })
  })

  it.each([
    ['503 of the maintenance', 503, 'MAINTENANCE_MODE'],
    ['429', 429, 'RATE_LIMITED'],
  ])('succeeds with a warning if its writes get only the %s', async (_, status, code) => {
    const refusal = JSON.stringify({ success: false, message: 'Not now.', errors: { code } })
    const { url: BaseUrl } = await openGateway(answering(status, refusal))
    expect(await good.test({}, { BaseUrl })).toMatchObject({ Status: 'SUCCESS' })
    expect(good.lines.join('\n')).toContain('the smoke test could not write')
  })
})
