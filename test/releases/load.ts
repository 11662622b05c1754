// A writing load: clients with posts of their own, and one that changes records of other kinds.
import * as z from 'zod/mini'
import { me } from '../../shared/accounts/contract.ts'
import { adminCategories } from '../../shared/categories/contract.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminSite } from '../../shared/site/contract.ts'
import { adminTickets, tickets } from '../../shared/tickets/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { randomOf } from '../bench/random.ts'
import { type Connection, openWriter, type Writer } from '../soak/writer.ts'
import type { Answer } from '../world/call.ts'
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
  const note = ({ method, path }: Endpoint, { status, code, text }: Answer<unknown>) => {
    if (status >= 400 && code !== 'UNAVAILABLE') refused.push(`${status} ${method} ${path} ${text}`)
  }
  const call: Connection['call'] = async (endpoint, options) => {
    const answer = await send(endpoint, options)
    note(endpoint, answer)
    return answer
  }
  const connection = { call, token }
  /** Another client may delete a record that was listed: its 404 is right, unless the list still has it. */
  const changeEach: ChangeEach = async (list, change, body) => {
    for (const id of idsIn(await call(list, { token }))) {
      const answer = await send(change, { token, params: { id }, body })
      if (answer.status !== 404 || idsIn(await call(list, { token })).includes(id)) note(change, answer)
    }
  }
  const writers = Array.from({ length: CLIENTS }, (_, n) => openWriter(`Client ${n}`, randomOf(seed, n)))
  const writing = writers.map(async writer => {
    for (let n = 0; n < acts; n++) await writer.act(connection)
  })
  await Promise.all([...writing, changeOthers(connection, changeEach, Math.ceil(acts / ACTS_OF_EACH_ROUND))])
  return { writers, refused }
}

type ChangeEach = (list: Endpoint, change: Endpoint, body: unknown) => Promise<void>

async function changeOthers(
  { call, token }: Connection,
  changeEach: ChangeEach,
  rounds: number,
): Promise<void> {
  for (let n = 1; n <= rounds; n++) {
    const name = `Name ${n}`
    await call(adminCategories.createCategory, { token, body: { name } })
    await call(tickets.createTicket, { token, body: { subject: name, description: name } })
    await call(me.changeMe, { token, body: { bio: name } })
    await call(adminSite.changeSettings, { token, body: { 'general.site_name': name } })
    const body = { items: [{ label: name, url: '/' }] }
    await call(adminSite.putMenu, { token, params: { location: 'main' }, body })
    await changeEach(adminWebhooks.listWebhooks, adminWebhooks.changeWebhook, { name })
    await changeEach(adminCategories.listCategories, adminCategories.changeCategory, { description: name })
    await changeEach(adminTickets.listTickets, adminTickets.replyToTicket, { body: name })
  }
}

const Records = z.object({ data: z.array(z.object({ id: z.int() })) })

/** None in an answer without records. */
function idsIn({ text }: { text: string }): number[] {
  return Records.safeParse(JSON.parse(text)).data?.data.map(({ id }) => id) ?? []
}
