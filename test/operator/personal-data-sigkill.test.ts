// `user erase` as a process beside a running service, ended by SIGKILL right after one of its writes.

import { expect, it } from 'vitest'
import { me } from '../../shared/accounts/contract.ts'
import type { Interceptor } from '../world/faults/call-proxy.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'
import { run, stageOf } from './operator-process.ts'
import { operatorOn } from './operator-world.ts'
import { leftOf, openPerson } from './personal-data-world.ts'

const world = useWorld()

const WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems'])

/** The environment of a stage whose nth write of the table is the last of the process that made it. */
async function stageKilledAfter(writes: number, kill: () => void): Promise<Record<string, string>> {
  let left = writes
  const interceptor: Interceptor = async (call, next) => {
    const answer = await next(call)
    if (WRITES.has(call.operation) && answer.status === 200 && --left === 0) kill()
    return answer
  }
  return await stageOf(world, interceptor)
}

it.each([2, 5])(
  'an erasure that is killed after write %i has ended the tokens, and a second run finishes it',
  async writes => {
    const person = await openPerson(world)
    const killing = new AbortController()
    const argv = ['user', 'erase', person.email, '--yes', '--delete-content', '--stage', 'dev']
    const killed = await run(argv, await stageKilledAfter(writes, () => killing.abort()), killing.signal)
    expect([killed.out, killed.wasKilled]).toEqual(['', true])
    expect((await world.call(me.getMe, { token: person.token })).status).toBe(401)

    const second = await run(argv, await stageKilledAfter(Number.POSITIVE_INFINITY, () => undefined))
    expect(second.code).toBe(0)
    const left = await leftOf(world, person)
    expect(left.map(({ pk }) => pk)).toEqual([`COMMENT#${person.comments.mention.id}`])
    await until('the service to finish its work', () => world.isIdle())
    expect((await operatorOn(world).run(['doctor'])).out).toContain('Nothing is wrong.')
  },
)
