// The suite holds against the local service, and catches each planted fault by the sentence it contradicts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ABILITIES } from '../../shared/http/audience.ts'
import { OWNER_PASSWORD } from '../support/create.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'
import { PLANTED } from './faults/planted.ts'
import { openProxy } from './faults/proxy.ts'
import { family } from './records.ts'
import { runMain } from './run-main.ts'
import { runSuite } from './runner.ts'
import { openSuite, type Suite, type SuiteOptions } from './suite.ts'
import { exitCodeOf } from './table.ts'

const world = useWorld()
const proxy = use(() => openProxy(world.baseUrl))

/** Faults change nothing about records that were created before them. */
let shared: Suite
const memory = new Map<string, Promise<unknown>>()

function openSuiteHere(more: Partial<SuiteOptions> = {}): Suite {
  const account = { email: world.owner.email, password: OWNER_PASSWORD }
  const options = { baseUrl: proxy.url, adminToken: world.admin, areLimitsRaised: true, account }
  return openSuite({ ...options, ...more })
}

beforeAll(async () => {
  shared = openSuiteHere({ memory })
  await Promise.all([family(shared), shared.userToken()])
})
afterAll(() => shared.cleanUp())

describe('npm run conformance', () => {
  it('finds nothing that falls short in the local service', async () => {
    const options = ['--admin-token', world.admin, '--email', world.owner.email, '--limits-raised']
    const { code, text } = await runMain([proxy.url, ...options], { PASSWORD: OWNER_PASSWORD })
    expect(text).not.toContain('✗')
    expect(code).toBe(0)
    expect(text).toMatch(/^ {2}together +1\d\d +0 +8 /m)
  })
})

describe('the suite', () => {
  it.each(PLANTED)('falls short of “%s”: %s', async (part, says, fault) => {
    proxy.plant(fault)
    // A token that a check may log out.
    const adminToken = await world.create.token(world.owner.id, [...ABILITIES])
    const suite = openSuiteHere({ adminToken, memory: new Map(memory) })
    try {
      const report = await runSuite(suite, { includes: sentence => sentence.includes(part) })
      expect(report.results).toMatchObject([{ outcome: 'fell short', reason: expect.stringContaining(says) }])
      expect(exitCodeOf(report)).toBe(1)
    } finally {
      proxy.plant({})
      await suite.stop()
    }
  })
})
