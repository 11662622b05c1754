// The output of the doctor: what is wrong, and what is only queued.
import { beforeAll, describe, expect, it } from 'vitest'
import { outboxRow } from '../../shared/events/outbox.ts'
import { docKey } from '../../shared/table/design.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'
import { operatorOn } from './operator-world.ts'

const world = useWorld()
let operator: ReturnType<typeof operatorOn>
beforeAll(async () => {
  operator = operatorOn(world)
})

describe('doctor', () => {
  it('exits with 1 and names a post that the search index does not have', async () => {
    const { id } = await world.create.livePost()
    await until('the post to be merged', () => world.isIndexed())
    expect(await operator.run(['doctor'])).toMatchObject({ code: 0 })
    await world.table.removeMany([docKey(id)])
    const { code, out } = await operator.run(['doctor'])
    expect(code).toBe(1)
    expect(out).toContain(`post ${id}: the search index is out of date for it.`)
    await operator.run(['doctor', '--repair'])
  })

  it('says that messages of a stopped service are queued, and exits with 0', async () => {
    const row = outboxRow({ queue: 'jobs', body: { kind: 'list', list: 'none' } }, Date.now() - 180_000)
    await world.table.write({ Put: { Item: row } })
    const stopped = operatorOn(world, Date.now, { isIdle: true })
    const { code, out } = await stopped.run(['doctor'])
    expect([code, out]).toEqual([0, expect.stringContaining('messages for the queue jobs are queued.')])
    expect(out).toContain('The service will send them once it runs.')
    expect((await stopped.json(['doctor'])).queued).toBe(1)
    await world.table.removeMany([{ pk: row.pk, sk: row.sk }])
  })
})
