// A seed repeats the faults of a history. test/table/retrying.test.ts shows what each fault does to a call.
import { expect, it } from 'vitest'
import { json } from './call-proxy.ts'
import { createFaultInjector, type FaultName } from './faults.ts'

const CALL = { operation: 'PutItem', method: 'POST', path: '/', headers: {}, body: Buffer.from('{}') }

async function faultsWith(seed: number): Promise<(FaultName | undefined)[]> {
  const faults: (FaultName | undefined)[] = []
  const kinds = ['conflict', 'failed', 'lost'] as const
  const inject = createFaultInjector({ seed, kinds, scale: 5, onFault: kind => faults.push(kind) })
  for (let n = 0; n < 40; n++) {
    faults.push(undefined)
    await inject(CALL, async () => json(200, {}), String).catch(() => undefined)
  }
  return faults
}

it('the fault injector repeats the same faults with the same seed and injects others with another', async () => {
  const [first, second, other] = [await faultsWith(7), await faultsWith(7), await faultsWith(8)]
  expect(first.length).toBeGreaterThan(43)
  expect(second).toEqual(first)
  expect(other).not.toEqual(first)
})
