// What the owner sees on a bad day: each alarm goes on by its fault alone, and one id follows a request.
import { afterEach, describe, expect, inject, it } from 'vitest'
import * as z from 'zod/mini'
import { LAMBDA_QUOTA } from '../../infra/local/account.ts'
import { alarmStates } from '../../infra/local/metrics/alarms.ts'
import { openSamples, seriesOf } from '../../infra/local/metrics/samples.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { ALARMS } from '../../shared/service/alarms.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { readTemplate } from '../shape/synthesized.ts'
import { rawRequest } from '../world/raw.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { until } from '../world/until.ts'
import { use } from '../world/use.ts'
import { PLANTS } from './alarm-faults.ts'
import { openAlarmWorld } from './alarm-world.ts'

const alarms = use(openAlarmWorld)
afterEach(() => alarms.repair())

/** The template of the local run does not have them. Without data they are off, here as in CloudWatch. */
const ONLY_IN_AWS = new Map([
  ['backups', 'Only stages with backupDays have it: AWS Backup itself counts the jobs that failed.'],
  ['charges', 'Only stages with monthlyBudgetUsd have it: AWS itself writes the bill.'],
])
const AlarmName = z.object({
  AlarmName: z.object({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }),
})

const Page = z.object({
  totals: z.looseObject({ requests: z.number(), deliveries: z.number() }),
  latencyMs: z.object({ average: z.nullable(z.number()), p99: z.nullable(z.number()) }),
  queues: z.record(z.string(), z.looseObject({ waiting: z.number(), deadLetters: z.number() })),
  alarms: z.array(
    z.object({
      id: z.string(),
      state: z.enum(['ok', 'alarm']),
      value: z.nullable(z.number()),
      threshold: z.record(z.string(), z.nullable(z.number())),
      statistic: z.string(),
      periodSeconds: z.number(),
      means: z.string(),
      firstCommand: z.string(),
    }),
  ),
})

/** Asked again while a busy machine does not measure in time. */
function page() {
  return until('the page of metrics', async () => {
    const answer = await rawRequest(alarms.world.baseUrl, 'GET', '/__local/metrics').catch(() => undefined)
    return answer?.status === 200 && Page.parse(JSON.parse(answer.text))
  })
}

async function alarmsThatAreOn() {
  return (await page()).alarms.filter(({ state }) => state === 'alarm').map(({ id }) => id)
}

/** The log of a function or of the gateway that a first command searches, and the text to find there. */
const SEARCH = /STAGE-([a-z]+)log .*--filter-pattern '(?:"(.+)"|\{ \$\.(\w+) = "(\w+)\*?" \})'/

/** Undefined for a command that searches no log. A dead letter is planted without the run that logged it. */
function searchOf({ id, firstCommand }: { id: string; firstCommand: string }) {
  const [found, log, text, member, value] = SEARCH.exec(firstCommand) ?? []
  if (found === undefined || id.endsWith('-dead-letters')) return undefined
  return { prefix: log === 'access' ? 'gateway' : log, text: text ?? `"${member}":"${value}` }
}

describe('GET /__local/metrics', () => {
  it('shows every declared alarm as off while all is well, and what happened', async () => {
    await alarms.readCategories()
    await alarms.createCategory()
    await alarms.sweep()
    const { totals, latencyMs, queues, alarms: states } = await page()
    expect(states.map(({ id, state }) => [id, state])).toEqual(ALARMS.map(({ id }) => [id, 'ok']))
    expect(totals).toMatchObject({ requests: 2, serverErrors: 0, deliveries: 0, leftInOutbox: 0 })
    expect(latencyMs.p99).toBeGreaterThan(0)
    expect(Object.keys(queues)).toEqual(['events', 'deliveries', 'tidy', 'mail', 'index', 'bounces'])
  })

  it('has a fault for each alarm, or the reason why it cannot occur on one machine', () => {
    expect([...Object.keys(PLANTS), ...ONLY_IN_AWS.keys()].toSorted()).toEqual(
      ALARMS.map(({ id }) => id).toSorted(),
    )
  })

  it.each(Object.entries(PLANTS))(
    'turns on only %s by its fault, whose line its first command finds',
    async (id, plant) => {
      const before = alarms.logged.length
      await plant(alarms)
      expect(await alarmsThatAreOn()).toEqual([id])
      const state = (await page()).alarms.find(alarm => alarm.id === id)
      expect(state?.means).not.toBe('')
      expect(state?.firstCommand).not.toBe('')
      const search = state && searchOf(state)
      if (!search) return
      await until(`a line with ${search.text} in the log that the first command searches`, () =>
        alarms.logged
          .slice(before)
          .some(line => line.startsWith(`${search.prefix}: `) && line.includes(search.text)),
      )
    },
  )

  it('has in its template every alarm that has a fault, and none of the others', () => {
    const alarms = readTemplate(inject('assembly')).of('AWS::CloudWatch::Alarm')
    const ids = alarms.map(({ properties }) => {
      const [, parts] = AlarmName.parse(properties).AlarmName['Fn::Join']
      return String(parts.at(-1)).slice(1)
    })
    expect(ids.toSorted()).toEqual(Object.keys(PLANTS).toSorted())
  })

  it.each([...ONLY_IN_AWS])('has no value or a harmless one for %s. %s', async id => {
    await alarms.readCategories()
    const state = (await page()).alarms.find(alarm => alarm.id === id)
    expect(state?.state).toBe('ok')
  })
})

describe('an alarm that cannot occur on one machine', () => {
  const inAws = ALARMS.filter(({ id }) => ONLY_IN_AWS.has(id))

  it.each(inAws)('$id goes on alone at a value over its threshold', ({ id, metric, threshold }) => {
    const samples = openSamples(Date.now)
    const sources = {
      samples,
      readGauge: () => undefined,
      hasRunFor: () => false,
      quota: () => LAMBDA_QUOTA,
      budgetUsd: 500,
    }
    const aws = 'sumOf' in metric ? metric.sumOf[0] : 'aws' in metric && metric.aws
    if (!aws || !('above' in threshold)) throw new Error('It has another kind of metric.')
    const most = alarmStates(sources).find(state => state.id === id)?.threshold
    const idsOn = () => alarmStates(sources).flatMap(state => (state.state === 'alarm' ? [state.id] : []))
    samples.add(seriesOf(aws), most && 'above' in most ? most.above : Number.NaN)
    expect(idsOn()).toEqual([])
    samples.add(seriesOf(aws), 1_000)
    expect(idsOn()).toEqual([id])
  })
})

describe('the id in the answer of a write', () => {
  it('finds the line of the gateway, those of the functions, the event and its delivery', async () => {
    const { world, logged } = alarms
    const subscriber = await openSubscriber()
    const { id } = await world.create.webhook(subscriber.url, { events: ['post.published'] })
    const post = await world.create.post({ is_published: false })
    const { headers } = await world.call(adminPosts.publishPost, {
      token: world.admin,
      params: { id: post.id },
    })
    const requestId = headers.get('x-request-id') ?? 'none'
    const delivery = await until('the delivery to end', async () => {
      const { data } = await world.call(adminWebhooks.listDeliveries, { token: world.admin, params: { id } })
      return data.find(({ status }) => status === 'succeeded')
    })
    expect(delivery.request_id).toBe(requestId)
    expect(subscriber.received[0]?.headers).toMatchObject({ 'x-request-id': requestId })
    const lines = logged.filter(line => line.includes(requestId))
    expect(lines.map(line => line.split(':')[0])).toEqual(['adminposts', 'gateway', 'deliverwebhooks'])
    expect(lines[1]).toContain(`"requestId":"${requestId}"`)
    expect(lines[1]).toContain('"resource":"/api/v1/admin/posts/{id}/publish","status":"200"')
  })
})
