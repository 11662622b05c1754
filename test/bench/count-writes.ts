// What changes of a post cost: mostly, and at most, which is when a list's range is split by it.
import { type Cost, least, worst } from './count.ts'
import type { CountedService } from './counted-service.ts'
import { liveThrough, type Step } from './lives.ts'
import { call } from './rows.ts'

export const AT_MOST = ', at most'

type Asked = { token: string; slug: string; lives: number }

/** The posts that it is measured by are gone afterwards. */
export async function countWrites(
  service: CountedService,
  { token, slug, lives }: Asked,
): Promise<Map<string, Cost>> {
  const seen = new Map<string, Cost[]>()
  const step: Step = async (name, endpoint, ask) => {
    const { result, used } = await service.measure(() => call.adminPosts(endpoint, { ...ask, token }))
    if (result.status >= 400) throw new Error(`${name} answered ${result.status} ${result.text}`)
    const { roundTrips, readUnits, writeUnits } = used
    const cost = { roundTrips, readUnits, writeUnits, bytes: Buffer.byteLength(result.text) }
    seen.set(name, [...(seen.get(name) ?? []), cost])
    return result.text
  }
  await liveThrough(step, slug, lives)
  // Until it is done, every search and every list of comments looks at what it has to leave out.
  await service.workOff()
  return new Map(
    [...seen].flatMap(([name, costs]): [string, Cost][] => [
      [name, least(costs)],
      [`${name}${AT_MOST}`, worst(costs)],
    ]),
  )
}
