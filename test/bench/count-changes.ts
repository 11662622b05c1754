// Counts the cost of polls for changes: without one, and after changes of some posts.
import * as z from 'zod/mini'
import { handler } from '../../functions/public.ts'
import { changes } from '../../shared/changes/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { callOf } from '../world/chain.ts'
import { type Cost, fewestRounds, successOf } from './count.ts'
import type { CountedService } from './counted-service.ts'
import { call, type Targets } from './rows.ts'

const CHANGED = 12
const SAMPLES = 2

const Answer = z.object({ data: z.array(z.unknown()), cursor: z.object({ next: z.string() }) })
const callChanges = callOf(handler)

export async function countChanges(
  service: CountedService,
  { id, token }: Targets,
): Promise<Map<string, Cost>> {
  const rowOf = (name: string) => ({ name, call: callChanges, endpoint: changes.listChanges, ask: {} })
  const poll = async (name: string, query: Record<string, string>) =>
    Answer.parse(JSON.parse((await successOf(rowOf(name), { query })).text))
  const since = (await poll('GET /changes', {})).cursor.next

  /** The first poll waits until the changes are visible as a whole, which it does not count again. */
  const costOf = async (name: string, query: Record<string, string>, count: number): Promise<Cost> => {
    const samples: Cost[] = []
    for (let n = 0; n <= SAMPLES; n++) {
      const { result, used } = await service.measure(() => successOf(rowOf(name), { query }))
      const found = Answer.parse(JSON.parse(result.text)).data.length
      if (found !== count) throw new Error(`${name} answered ${found} changes, not ${count}.`)
      if (n > 0) samples.push({ ...used, bytes: Buffer.byteLength(result.text) })
    }
    return fewestRounds(samples)
  }

  const costs = new Map<string, Cost>()
  const measured = async (name: string, query: Record<string, string>, count: number) => {
    costs.set(name, await costOf(name, query, count))
  }
  await measured('GET /changes, none', { since }, 0)
  for (let n = 0; n < CHANGED; n++) {
    const ask = { params: { id: id + 2 + n }, body: { title: `Changed ${n}` }, token }
    const { status } = await service.elsewhere(() => call.admin(adminPosts.changePost, ask))
    if (status !== 200) throw new Error(`A change of a post answered ${status}`)
  }
  await measured(`GET /changes, ${CHANGED} posts`, { since }, CHANGED)
  await measured(`GET /changes, ${CHANGED} posts, include=item`, { since, include: 'item' }, CHANGED)
  await measured(`GET /changes, ${CHANGED} posts, include=body`, { since, include: 'body' }, CHANGED)
  return costs
}
