// `user erase`, killed after each of its writes: the second run finishes it, and nothing is left.
import { beforeAll, expect, it } from 'vitest'
import { diagnose } from '../../infra/operator/doctor/doctor.ts'
import { findPerson } from '../../infra/operator/personal-data/collect.ts'
import { erasePerson } from '../../infra/operator/personal-data/erase.ts'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { PostInput } from '../../shared/posts/fields.ts'
import type { Item } from '../../shared/table/design.ts'
import { addReply } from '../../shared/tickets/commands.ts'
import { addWebhook } from '../../shared/webhooks/commands/webhooks.ts'
import { newWebhook } from '../../shared/webhooks/webhook.ts'
import { contextOn, empty, Killed } from '../import-export/table-context.ts'
import { createToken } from '../support/create.ts'
import { useTable } from '../support/new-table.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { writeAs } from './personal-data-world.ts'

const NOW_MS = Date.parse('2026-11-01T12:00:00Z')
const EMAIL = 'ada@example.com'

const world = useTable()
/** The table before each erasure. */
let intact: Item[]
beforeAll(async () => {
  await fill()
  intact = await world.dump()
})

async function fill() {
  const { table } = world
  const work = unitOfWorkOn(table, NOW_MS)
  const account = { name: 'Ada', email: EMAIL, email_verified: true, password_hash: 'scrypt$…' }
  const { id } = await createUser(table, account, work.nowSeconds)
  await createToken(table, id, ['user'], work.nowSeconds)
  const input = PostInput.parse({ title: 'A post', body: 'Text.', is_published: true })
  const { data: post } = await createPost(work, input, id)
  const { ticket } = await writeAs({ id, email: EMAIL }, work, post.slug)
  await addReply(work, { id: ticket.id }, { author_id: id, body: 'Any news?', is_staff: false })
  const hook = { name: 'Hook', url: 'https://example.com', events: ['*' as const] }
  const webhook = newWebhook({ id: 1, owner_id: id, sealed_secret: 'sealed' }, hook, NOW_MS)
  await addWebhook(work, webhook, { data: {} })
}

async function restore() {
  await empty(world)
  await world.table.putMany(intact)
}

async function erase(writes: number, content: boolean): Promise<boolean> {
  const context = contextOn(world, writes)
  try {
    const person = await findPerson(context, EMAIL)
    await erasePerson(context, person, { content, isDryRun: false })
  } catch (error) {
    if (!(error instanceof Killed)) throw error
  }
  return context.isKilled()
}

it.each([
  { name: 'keeping the content', content: false },
  { name: 'deleting the content', content: true },
])(
  'an erasure $name is finished by a second run, after whichever write it was killed',
  async ({ content }) => {
    let writes = 0
    for (let isKilled = true; isKilled; writes++) {
      await restore()
      isKilled = await erase(writes, content)
      await erase(Number.POSITIVE_INFINITY, content)
      const left = (await world.dump()).filter(item => JSON.stringify(item).toLowerCase().includes(EMAIL))
      expect([writes, left]).toEqual([writes, []])
      const { problems } = await diagnose(contextOn(world), false)
      expect([writes, problems]).toEqual([writes, []])
    }
    expect(writes).toBeGreaterThan(8)
  },
)
