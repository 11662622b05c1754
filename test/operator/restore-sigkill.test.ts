// `operator restore` as a process that is ended by SIGKILL, and started again.
import { describe, expect, it } from 'vitest'
import { MARGIN } from '../../infra/operator/restore/counters.ts'
import type { Interceptor } from '../world/faults/call.ts'
import { use } from '../world/use.ts'
import { run, stageOf } from './operator-process.ts'
import { AT_MS, lastIdsOf, openRestoreStory, stageWith } from './restore-story.ts'

const opened = use(openRestoreStory)
const AT = new Date(AT_MS).toISOString()

describe('npm run operator -- restore', () => {
  /** The environment of a stage whose nth change is the last of the process that made it. */
  async function stageKilledAfter(changes: number, kill: () => void) {
    let left = changes
    const interceptor: Interceptor = async (call, next) => {
      const answer = await next(call)
      const isChange = /^(?:Restore|Update|Tag|Put|Delete|BatchWrite|TransactWrite)/.test(call.operation)
      if (isChange && answer.status === 200 && --left === 0) kill()
      return answer
    }
    return await stageOf(stageWith(opened), interceptor)
  }

  it('continues after SIGKILL, right after the restore has begun and among the ids', async () => {
    const argv = ['restore', '--to', AT, '--as', `${opened.world.tableName}-restored`, '--stage', 'dev']
    for (const changes of [1, 6]) {
      const killing = new AbortController()
      const killed = await run(argv, await stageKilledAfter(changes, () => killing.abort()), killing.signal)
      expect([killed.out, killed.wasKilled]).toEqual(['', true])
    }
    const last = await run([...argv, '--json'], await stageKilledAfter(0, () => undefined))
    expect(last.code).toBe(0)
    expect(JSON.parse(last.out)).toMatchObject({ is_new: false, sent: { events: 1 }, not_repaired: 0 })
    const ids = await lastIdsOf(opened, opened.world.tableName)
    expect(await lastIdsOf(opened, `${opened.world.tableName}-restored`)).toEqual(ids.map(id => id + MARGIN))
    expect(await opened.world.dump()).toEqual(opened.today)
    // The stage dev is disposable.
    expect([...opened.recovery.recoverable]).toEqual([])
  })
})
