// A writing load: clients with posts of their own, and one that changes records of other kinds.
import * as z from 'zod/mini'
import { me } from '../../shared/accounts/contract.ts'
import { adminCategories } from '../../shared/categories/contract.ts'
import { adminSite } from '../../shared/site/contract.ts'
import { adminTickets, tickets } from '../../shared/tickets/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { randomOf } from '../bench/random.ts'
import { type Connection, openWriter, type Writer } from '../soak/writer.ts'
import type { World } from '../world/world.ts'

const CLIENTS = 2
const ACTS_OF_EACH_ROUND = 4

export type Load = { writers: Writer[]; refused: string[] }

/** `refused`: answers other than a success and "try again". `acts`: of each client. */
export async function writeLoad(
  { call: send, admin: token }: Pick<World, 'call' | 'admin'>,
  seed: number,
  acts: number,
): Promise<Load> {
  const refused: string[] = []
  const call: Connection['call'] = async (endpoint, options) => {
    const answer = await send(endpoint, options)
    const { status, code, text } = answer
    const isRefused = status >= 400 && code !== 'UNAVAILABLE'
    if (isRefused) refused.push(`${status} ${endpoint.method} ${endpoint.path} ${text}`)
    return answer
  }
  const connection = { call, token }
  const writers = Array.from({ length: CLIENTS }, (_, n) => openWriter(`Client ${n}`, randomOf(seed, n)))
  const writing = writers.map(async writer => {
    for (let n = 0; n < acts; n++) await writer.act(connection)
  })
  await Promise.all([...writing, changeOthers(connection, Math.ceil(acts / ACTS_OF_EACH_ROUND))])
  return { writers, refused }
}

async function changeOthers({ call, token }: Connection, rounds: number): Promise<void> {
  for (let n = 1; n <= rounds; n++) {
    const name = `Name ${n}`
    await call(adminCategories.createCategory, { token, body: { name } })
    await call(tickets.createTicket, { token, body: { subject: name, description: name } })
    await call(me.changeMe, { token, body: { bio: name } })
    await call(adminSite.changeSettings, { token, body: { 'general.site_name': name } })
    const body = { items: [{ label: name, url: '/' }] }
    await call(adminSite.putMenu, { token, params: { location: 'main' }, body })
    for (const id of idsIn(await call(adminWebhooks.listWebhooks, { token }))) {
      await call(adminWebhooks.changeWebhook, { token, params: { id }, body: { name } })
    }
    for (const id of idsIn(await call(adminCategories.listCategories, { token }))) {
      await call(adminCategories.changeCategory, { token, params: { id }, body: { description: name } })
    }
    for (const id of idsIn(await call(adminTickets.listTickets, { token }))) {
      await call(adminTickets.replyToTicket, { token, params: { id }, body: { body: name } })
    }
  }
}

const Records = z.object({ data: z.array(z.object({ id: z.int() })) })

/** None in an answer without records. */
function idsIn({ text }: { text: string }): number[] {
  return Records.safeParse(JSON.parse(text)).data?.data.map(({ id }) => id) ?? []
}
