// The suite holds against the local service, and catches each planted fault by the sentence it contradicts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ABILITIES } from '../../shared/http/audience.ts'
import { OWNER_PASSWORD } from '../support/create.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'
import { accessFaults } from './faults/access.ts'
import { CONTENT_FAULTS } from './faults/content.ts'
import { EXTRA_FAULTS } from './faults/extras.ts'
import type { Fault } from './faults/fault.ts'
import { openProxy } from './faults/proxy.ts'
import { WEBHOOK_FAULTS } from './faults/webhooks.ts'
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

/** An admin token that the suite may log out. */
let spareToken = ''
const ALL = [CONTENT_FAULTS, accessFaults(() => spareToken), WEBHOOK_FAULTS, EXTRA_FAULTS]
const FAULTS = ALL.flatMap(Object.entries<Record<string, Fault>>).flatMap(([sentence, faults]) =>
  Object.entries(faults).map(([name, fault]) => ({ name, sentence, fault })),
)

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
  it.each(FAULTS)('catches $name', async ({ sentence, fault: { says, ...fault } }) => {
    spareToken = await world.create.token(world.owner.id, [...ABILITIES])
    proxy.plant(fault)
    const suite = openSuiteHere({ memory: new Map(memory) })
    try {
      const report = await runSuite(suite, { includes: each => each === sentence })
      expect(report.results).toMatchObject([
        { sentence, outcome: 'fell short', reason: expect.stringContaining(says) },
      ])
      expect(exitCodeOf(report)).toBe(1)
    } finally {
      proxy.plant({})
      await suite.stop()
    }
  })
})
