// What each fault does to a call, and that a seed repeats the faults.
import { describe, expect, it } from 'vitest'
import { type Call, type Interceptor, json } from './call-proxy.ts'
import { createFaultInjector, FAULT_KINDS, type FaultName } from './faults.ts'

function callOf(operation: string, content: object = {}): Call {
  return { operation, method: 'POST', path: '/', headers: {}, body: Buffer.from(JSON.stringify(content)) }
}

/** The answer under the fault, the bodies that reached the table, and whether the function crashed. */
async function under(kind: FaultName, call: Call) {
  const sent: unknown[] = []
  let crashed = false
  const scale = 1_000 / FAULT_KINDS[kind].perMille
  const inject = createFaultInjector({ seed: 1, kinds: [kind], scale })
  const next: Parameters<Interceptor>[1] = async ({ body }) => {
    sent.push(JSON.parse(body.toString()))
    return json(200, {})
  }
  const crash = () => {
    crashed = true
  }
  const answer = await inject(call, next, crash).catch(() => undefined)
  return { answer: answer && JSON.parse(answer.body.toString()), sent, crashed }
}

describe('a call', () => {
  it.each([
    ['conflict', 'com.amazonaws.local#TransactionConflictException', 0, false],
    ['throttled', 'com.amazonaws.local#ProvisionedThroughputExceededException', 0, false],
    ['failed', 'com.amazonaws.local#InternalServerError', 0, false],
    ['lost', undefined, 1, false],
    ['crashBefore', undefined, 0, true],
    ['crashAfter', undefined, 1, true],
  ] as const)(
    'under the fault %s is answered with %s and sent %i times',
    async (kind, type, times, isCrash) => {
      const { answer, sent, crashed } = await under(kind, callOf('PutItem'))
      expect([answer?.__type, sent.length, crashed]).toEqual([type, times, isCrash])
    },
  )

  it('under the fault conflict cancels a transaction with a reason for one item', async () => {
    const { answer } = await under('conflict', callOf('TransactWriteItems', { TransactItems: [1, 2, 3] }))
    const codes = answer.CancellationReasons.map(({ Code }: { Code: string }) => Code)
    expect(codes.sort()).toEqual(['None', 'None', 'TransactionConflict'])
  })

  it.each([
    ['BatchGetItem', 'UnprocessedKeys', { Keys: [1] }, { Keys: [2, 3] }],
    ['BatchWriteItem', 'UnprocessedItems', [1], [2, 3]],
  ])('under the fault partly leaves the second half of a %s', async (operation, name, first, second) => {
    const all = operation === 'BatchGetItem' ? { Keys: [1, 2, 3] } : [1, 2, 3]
    const { answer, sent } = await under('partly', callOf(operation, { RequestItems: { table: all } }))
    expect([sent, answer]).toEqual([[{ RequestItems: { table: first } }], { [name]: { table: second } }])
  })
})

describe('the fault injector', () => {
  it('repeats the same faults with the same seed and injects others with another', async () => {
    const faultsWith = async (seed: number) => {
      const faults: (FaultName | undefined)[] = []
      const kinds = ['conflict', 'failed', 'lost'] as const
      const inject = createFaultInjector({ seed, kinds, scale: 5, onFault: kind => faults.push(kind) })
      for (let n = 0; n < 40; n++) {
        faults.push(undefined)
        await inject(callOf('PutItem'), async () => json(200, {}), String).catch(() => undefined)
      }
      return faults
    }
    const [first, second, other] = [await faultsWith(7), await faultsWith(7), await faultsWith(8)]
    expect(first.length).toBeGreaterThan(43)
    expect(second).toEqual(first)
    expect(other).not.toEqual(first)
  })
})
