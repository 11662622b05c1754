// `user erase` and the log of deliveries: receivers may answer with what they got.
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { contact } from '../../shared/contact/contract.ts'
import { kindOf } from '../../shared/table/design.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { attemptOf } from '../../shared/webhooks/delivery.ts'
import { dumpAt } from '../support/table.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'
import { httpSubscriber } from '../webhooks/servers.ts'
import { operatorOn } from './operator-world.ts'

const world = useWorld()
const NAME = 'Ada Byron'

/** Answers with the body that it got, and name and address in headers; at `/last` with the body before. */
async function openEcho() {
  let last = ''
  const { port } = await httpSubscriber(async (request: IncomingMessage, response) => {
    const body = await text(request)
    const { name = '', email = '' } = JSON.parse(body).data
    const noise = Array.from({ length: 40 }, (_, n) => `${Math.sin(n)}`).join('-')
    if (request.url === '/long') response.setHeader('X-Noise', noise)
    response.setHeader('X-Name', name).setHeader('X-Email', email)
    response.writeHead(request.url === '/fails' ? 500 : 200).end(request.url === '/last' ? last : body)
    if (email) last = body
  })
  return (path: string) => `http://127.0.0.1:${port}/${path}`
}

async function log() {
  const items = await dumpAt(world.dynamodbEndpoint, world.tableName)
  const attempts = items
    .filter(({ pk }) => kindOf(pk) === 'DELIVERIES')
    .map(item => attemptOf(item, Date.now()))
  return { attempts, answers: attempts.flatMap(({ response }) => response ?? []) }
}

function submit(name: string, email: string) {
  return world.call(contact.submitContact, { body: { name, email, message: 'Hello.' } })
}

function ended(count: number) {
  return until(`${count} deliveries to end`, async () => {
    const { attempts } = await log()
    return attempts.filter(({ status }) => /succeeded|failed/.test(status)).length >= count && world.isIdle()
  })
}

it('erases what receivers answered to events of the person, in header and body, and other answers with the address', async () => {
  const url = await openEcho()
  const email = 'ada.byron@example.com'
  const events = ['contact.submitted']
  const short = await world.create.webhook(url('short'), { events })
  await world.create.webhook(url('long'), { events })
  const own = { data: {}, ref: 'main' }
  const last = await world.create.webhook(url('last'), { events: ['post.published'], body: own })
  const deleted = await world.create.webhook(url('fails'), { events })
  await submit(NAME, email)
  await ended(3)
  const asAdmin = { token: world.admin, params: { id: short.id } }
  const [delivery] = (await world.call(adminWebhooks.listDeliveries, asAdmin)).data
  const params = { id: short.id, delivery_id: delivery?.id ?? '' }
  await world.call(adminWebhooks.redeliver, { token: world.admin, params })
  await ended(4)
  await world.create.livePost()
  await ended(5)
  await submit('Grace Hopper', 'grace@example.com')
  await ended(8)
  await world.call(adminWebhooks.deleteWebhook, { token: world.admin, params: { id: deleted.id } })
  const before = await log()
  expect(before.answers).toHaveLength(8)

  const { steps } = await operatorOn(world).json(['user', 'erase', email, '--yes'])
  const names: string[] = steps.map(({ what }: { what: string }) => what)
  expect(names.slice(-2)).toEqual(['answers of receivers in the log', 'events in the log'])
  expect(steps.at(-2)).toMatchObject({ count: 5, outcome: 'deleted' })
  const after = await log()
  expect(after.attempts).toHaveLength(before.attempts.length)
  expect(JSON.stringify(after.answers)).not.toMatch(/ada\.byron|Byron/)
  expect(after.answers).toHaveLength(3)
  expect(JSON.stringify(after.answers)).toContain('grace@example.com')
  const [toLast] = after.attempts.filter(({ webhook_id }) => webhook_id === last.id)
  expect(toLast).toMatchObject({ response: null, body: JSON.stringify(own) })
  const shown = await world.call(adminWebhooks.getDelivery, { token: world.admin, params })
  expect(shown.data).toMatchObject({
    status: 'succeeded',
    response_status: 200,
    request: null,
    response: null,
  })
})

it('erases the deliveries to subscriptions of an erased admin, whose URLs may name them', async () => {
  const url = await openEcho()
  const { email, token } = await world.create.user({ abilities: ['admin'] })
  const { id } = await world.create.webhook(url(`long?for=${email}`), { events: ['test.ping'] }, token)
  await world.call(adminWebhooks.testWebhook, { token, params: { id } })
  const ofIt = async () => (await log()).attempts.filter(({ webhook_id }) => webhook_id === id)
  expect(await ofIt()).toHaveLength(1)
  await operatorOn(world).json(['user', 'erase', email, '--yes'])
  expect(await ofIt()).toEqual([])
  const left = await dumpAt(world.dynamodbEndpoint, world.tableName)
  expect(JSON.stringify(left)).not.toContain(email)
})
