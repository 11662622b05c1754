// Counts the cost of a read after another function has changed a post, and of the same read again.
import { adminPosts } from '../../shared/posts/contract.ts'
import type { CallOptions } from '../world/call.ts'
import { contentIsRemembered } from '../world/remembered.ts'
import { afterThis, type Cost, deepest, fewestRounds, onPage, successOf } from './count.ts'
import type { CountedService } from './counted-service.ts'
import { call, type Row, type Targets } from './rows.ts'

/** Concurrent calls may look sequential by chance. */
const SAMPLES = 2

export async function countRepeated(
  service: CountedService,
  rows: Row[],
  { id, token }: Targets,
): Promise<Map<string, Cost>> {
  let changes = 0
  const change = async () => {
    const body = { title: `Title ${++changes}` }
    const { status } = await service.elsewhere(() =>
      call.admin(adminPosts.changePost, { params: { id: id + 1 }, body, token }),
    )
    if (status !== 200) throw new Error(`A change of a post answered ${status}`)
  }

  const costs = new Map<string, Cost>()
  for (const row of rows) {
    const samples: { first: Cost; repeated: Cost }[] = []
    for (let n = 0; n < SAMPLES; n++) {
      const ask = await askOf(row)
      await change()
      const first = await costOf(service, row, ask)
      await contentIsRemembered(service.table, service.nowSeconds * 1000)
      await successOf(row, ask)
      samples.push({ first, repeated: await costOf(service, row, ask) })
    }
    costs.set(`${row.name}, first after a change`, fewestRounds(samples.map(({ first }) => first)))
    costs.set(`${row.name}, repeated`, fewestRounds(samples.map(({ repeated }) => repeated)))
  }
  return costs
}

/** The read with its page or its ETag. */
async function askOf(row: Row): Promise<CallOptions> {
  const { isDeep, isWalked, isConditional, ask } = row
  const { text, headers } = await successOf(row, ask)
  if (isConditional) return { ...ask, headers: { 'If-None-Match': headers.ETag ?? '' } }
  if (isWalked) return afterThis(ask, text)
  return isDeep ? onPage(ask, deepest(text)) : ask
}

async function costOf({ measure }: CountedService, row: Row, ask: CallOptions): Promise<Cost> {
  const { result, used } = await measure(() => successOf(row, ask))
  return { ...used, bytes: Buffer.byteLength(result.text) }
}
