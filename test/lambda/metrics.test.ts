// Functions count their metrics within a run, and write them in its last log line.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { reply } from '../../shared/http/reply.ts'
import { logRun } from '../../shared/lambda/run.ts'
import { count, measure, withTally } from '../../shared/metrics/tally.ts'
import { openLog } from '../../shared/runtime/log.ts'
import { CONFLICT, ConditionFailed } from '../../shared/table/action.ts'
import { retryOnConflict } from '../../shared/table/retry-on-conflict.ts'
import { openChain } from '../support/chain.ts'
import { use } from '../support/use.ts'

const chain = use(openChain)
beforeEach(() => {
  chain.tallies.splice(0)
})
afterEach(() => chain.repair())

/** What `write` prints. */
function printed(write: () => void): string {
  const spy = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    write()
    return spy.mock.calls.map(([text]) => String(text)).join('')
  } finally {
    spy.mockRestore()
  }
}

function listing() {
  return chain.open({ listCategories: categories.listCategories }, { listCategories: async () => reply([]) })
}

describe('the metrics of a request', () => {
  it('are none for a usual read', async () => {
    await listing()(categories.listCategories)
    expect(chain.tallies).toEqual([{}])
  })

  it('count how often a write started again', async () => {
    const { token } = await chain.user(['user', 'admin'])
    let attempts = 0
    const createAtThird = async () => {
      if (++attempts < 3) throw new ConditionFailed([CONFLICT])
      return reply({} as never)
    }
    const call = chain.open(
      { createCategory: adminCategories.createCategory },
      { createCategory: () => retryOnConflict(createAtThird) },
    )
    await call(adminCategories.createCategory, { token, body: { name: 'News' } })
    expect(chain.tallies).toEqual([{ Conflicts: 2 }])
  })

  it('say that the limiter could not count it', async () => {
    chain.fail({ mentions: 'LIMIT#', at: 'before', error: 'ValidationException' })
    await listing()(categories.listCategories)
    expect(chain.tallies).toEqual([{ LimiterOpen: 1 }])
  })

  it('count retried calls of the table', async () => {
    chain.fail({ mentions: 'LIMIT#', at: 'before', error: 'ThrottlingException', times: 2 })
    await listing()(categories.listCategories)
    expect(chain.tallies).toEqual([{ Retries: 2 }])
  })
})

describe('the metrics of a worker', () => {
  it('are one line of CloudWatch’s embedded metric format, without dimensions and without zeros', () => {
    const log = openLog({ namespace: 'ContentService-live', clock: () => 1_767_225_600_000 })
    const text = printed(() =>
      withTally(() => {
        count('MailsSent')
        count('MailsSent')
        measure('OutboxLeft', 3)
        measure('IndexPending', 0)
        logRun({ log })
      }),
    )
    expect(text.trimEnd().split('\n')).toHaveLength(1)
    expect(JSON.parse(text)).toEqual({
      level: 'info',
      message: 'run',
      _aws: {
        Timestamp: 1_767_225_600_000,
        CloudWatchMetrics: [
          {
            Namespace: 'ContentService-live',
            Dimensions: [[]],
            Metrics: [
              { Name: 'MailsSent', Unit: 'Count' },
              { Name: 'OutboxLeft', Unit: 'Count' },
            ],
          },
        ],
      },
      MailsSent: 2,
      OutboxLeft: 3,
    })
  })

  it('are written although lines of their level are not', () => {
    const log = openLog({ namespace: 'test', clock: () => 0, minimum: 'warn' })
    const text = printed(() =>
      withTally(() => {
        log('info', 'dropped')
        log('warn', 'kept')
        count('MailsSent')
        logRun({ log })
      }),
    )
    const lines = text.trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line).message)).toEqual(['kept', 'run'])
  })

  it('have no line if nothing was counted, and none of an earlier run', () => {
    const log = openLog({ namespace: 'test', clock: () => 0 })
    withTally(() => count('MailsSent'))
    expect(printed(() => withTally(() => logRun({ log })))).toBe('')
  })
})
