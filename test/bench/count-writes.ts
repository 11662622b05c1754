// Counts the cost of changes of posts: usually, and at most, which is when a change splits a node of a list.
import { type Cost, least, worst } from './count.ts'
import type { CountedService } from './counted-service.ts'
import { runLifecycles, type Step } from './lifecycles.ts'
import { call } from './rows.ts'

export const AT_MOST = ', at most'

type WriteOptions = { token: string; slug: string; lives: number }

/** Creates, changes and deletes posts of its own. */
export async function countWrites(
  service: CountedService,
  { token, slug, lives }: WriteOptions,
): Promise<Map<string, Cost>> {
  const costsByName = new Map<string, Cost[]>()
  const step: Step = async (name, endpoint, ask) => {
    const { result, used } = await service.measure(() => call.admin(endpoint, { ...ask, token }))
    if (result.status >= 400) throw new Error(`${name} answered ${result.status} ${result.text}`)
    const cost = { ...used, bytes: Buffer.byteLength(result.text) }
    costsByName.set(name, [...(costsByName.get(name) ?? []), cost])
    return result.text
  }
  await runLifecycles(step, slug, lives)
  // Unprocessed messages would make later searches and lists of comments more expensive.
  await service.drainQueues()
  return new Map(
    [...costsByName].flatMap(([name, costs]): [string, Cost][] => [
      [name, least(costs)],
      [`${name}${AT_MOST}`, worst(costs)],
    ]),
  )
}
