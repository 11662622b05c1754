// A person of whom the service keeps one record of each kind, and neighbours whose records must stay.
import { expect } from 'vitest'
import { createComment } from '../../shared/comments/commands.ts'
import { addSubmission } from '../../shared/contact/commands.ts'
import { type EventMessage, newEventId } from '../../shared/events/message.ts'
import { ABILITIES } from '../../shared/http/audience.ts'
import { foldedEmail } from '../../shared/http/email.ts'
import { addRefusal } from '../../shared/mail/refusals.ts'
import { changeByEmail } from '../../shared/newsletter/commands.ts'
import { confirmSubscription } from '../../shared/newsletter/subscriber.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { eventKey, type Item, idempotencyKey, pendingKey } from '../../shared/table/design.ts'
import { addReply, createTicket } from '../../shared/tickets/commands.ts'
import { putEvent, sentEvent } from '../../shared/webhooks/delivery.ts'
import { dumpAt } from '../support/table.ts'
import { until } from '../support/until.ts'
import { unitOfWorkOn } from '../support/work.ts'
import type { World } from '../support/world.ts'
import { operatorOn } from './operator-world.ts'

const TICKET = { subject: 'The door', description: 'It does not open.', priority: 'low' } as const

type Work = ReturnType<typeof unitOfWorkOn>

/** What a person writes, by the account and by the address. */
export async function writeAs({ id, email }: { id: number; email: string }, work: Work, post: string) {
  const comment = { post, parent_id: null }
  const byUser = { ...comment, user_id: id, guest: null, body: 'By a user.' }
  const guest = { name: 'Ada', email: email.toUpperCase() }
  const byGuest = { ...comment, user_id: null, guest, body: 'By a guest.' }
  const comments = {
    own: (await createComment(work, byUser, true)).data,
    guest: (await createComment(work, byGuest, false)).data,
  }
  await changeByEmail(work, email, confirmSubscription)
  await addSubmission(work, { name: 'Ada', email, subject: null, message: 'Hello.' })
  return { comments, ticket: await createTicket(work, TICKET, id) }
}

export async function openPerson(world: World) {
  const { table, create } = world
  const [person, other] = [await create.user({ abilities: [...ABILITIES] }), await create.user()]
  const { id, email, token } = person
  const live = (members: object) => create.livePost({ body: 'Text.', ...members })
  const [own, foreign] = [await live({ author_id: id }), await live({})]
  const work = unitOfWorkOn(table)
  const post = { post: foreign.slug, parent_id: null }
  const byOther = { ...post, user_id: other.id, guest: null, body: `Write to ${email}.` }
  const mention = (await createComment(work, byOther, false)).data
  const written = await writeAs(person, work, foreign.slug)
  const { ticket } = written
  const comments = { ...written.comments, mention }
  const foreignTicket = await createTicket(work, TICKET, other.id)
  await addReply(work, { id: ticket.id }, { author_id: other.id, body: 'We look into it.', is_staff: true })
  await addReply(work, { id: foreignTicket.id }, { author_id: id, body: 'Done.', is_staff: true })
  await addRefusal(table, {
    email: foldedEmail(email),
    reason: 'bounce',
    detail: `General: smtp; 550 5.1.1 ${email} is unknown`,
    refused_ms: Date.parse('2026-11-01T12:00:00Z'),
  })
  const events = [
    keptEvent('user.registered', { id, url: 'https://site.example', name: 'Ada', email }),
    keptEvent('comment.created', { id: comments.own.id, author_name: person.name }),
    keptEvent('comment.created', { id: comments.mention.id, author_name: other.name }),
  ]
  for (const event of events) await table.write(putEvent(sentEvent(event)))
  const webhook = await create.webhook('https://example.com/hook', {}, token)
  const title = world.unique('Post')
  const headers = { 'Idempotency-Key': title }
  await world.call(adminPosts.createPost, { token, body: { title }, headers })
  // Those of the person.
  const eventPks = events.slice(0, 2).map(event => eventKey(event.id).pk)
  return { ...person, eventPks, own, comments, ticket, foreignTicket, webhook, idempotency: title }
}

function keptEvent(event: string, data: Record<string, unknown>): EventMessage {
  const occurred_at = '2026-11-01T12:00:00+00:00'
  const times = { occurred_at, happened_ms: Date.parse(occurred_at) }
  return { kind: 'event', id: newEventId(Date.now()), event, ...times, request_id: 'test', data }
}

export type PersonOfTest = Awaited<ReturnType<typeof openPerson>>

/** The items that hold the address, or belong to the account by their key. */
export async function leftOf(
  world: World,
  { id, email, idempotency, eventPks }: PersonOfTest,
): Promise<Item[]> {
  const folded = foldedEmail(email)
  const own = new Set([`USER#${id}`, `AUTHOR#${id}`, `PASSWORD#${id}`, `WEBHOOK#${id}`, ...eventPks])
  own.add(pendingKey(id).pk).add(idempotencyKey(id, idempotency).pk)
  return (await dumpAt(world.dynamodbEndpoint, world.tableName)).filter(
    item => own.has(item.pk) || foldedEmail(JSON.stringify(item)).includes(folded),
  )
}

export async function expectNothingWrong(world: World): Promise<void> {
  await until('the service to finish its work', () => world.isIdle())
  const { out } = await operatorOn(world).run(['doctor'])
  expect(out).toContain('Nothing is wrong.')
}
