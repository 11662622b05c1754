// The answers that show everything a caller of the API can change.
import { ENDPOINTS, sequentially } from './endpoints.ts'
import type { Records } from './records.ts'
import type { World } from './world.ts'

/** Public reads show less, and reads of the search index show it later. */
const reads = ENDPOINTS.filter(
  ({ endpoint: { method, audience } }) => method === 'GET' && audience !== 'public',
)

export async function readEverything(world: World, records: Records): Promise<string[]> {
  const answers = await sequentially(reads, async ({ name, endpoint }) => {
    const answer = await world.call(endpoint, {
      token: world.admin,
      params: await records.paramsFor(endpoint),
      query: endpoint.isPaginated ? { per_page: 100 } : {},
    })
    if (answer.status !== 200) throw new Error(`${name} answered ${answer.status} ${answer.text}`)
    return answer
  })
  return answers.map(({ text }) => text)
}
