// A whole stack on this machine: its parts work together by the template, and nothing is left after the stop.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { clientSettings } from '../../infra/local/account.ts'
import { parseEndpoint } from '../../infra/local/door/endpoint.ts'
import { type LocalService, type RunStackOptions, runStack } from '../../infra/local/run-stack.ts'
import { openState } from '../../infra/local/state.ts'
import { eventually } from './eventually.ts'
import { writeSmallStack } from './small-stack.ts'

const answer = z.object({
  calls: z.array(z.string()),
  table: z.string(),
  queue: z.string(),
  key: z.string(),
  site: z.string(),
  ses: z.string(),
})

const sendEmail = JSON.stringify({
  FromEmailAddress: 'content@example.com',
  Destination: { ToAddresses: ['ada@example.com'] },
  Content: {
    Simple: {
      Subject: { Data: 'Hello' },
      Body: { Text: { Data: 'Hello' }, Html: { Data: '<p>Hello</p>' } },
    },
  },
})

let stack: Awaited<ReturnType<typeof writeSmallStack>>
beforeEach(async () => {
  stack = await writeSmallStack()
  return () => rm(stack.folder, { recursive: true, force: true })
})

async function start(options: Partial<RunStackOptions> = {}): Promise<LocalService> {
  const service = await runStack({ assembly: stack.assembly, clock: false, ...options })
  onTestFinished(() => service.stop())
  return service
}

async function request(service: LocalService) {
  return answer.parse(await (await fetch(`${service.baseUrl}/calls`)).json())
}

async function send(service: LocalService, body: string) {
  const client = new SQSClient(clientSettings(service.sqsEndpoint))
  await client.send(new SendMessageCommand({ QueueUrl: service.queueUrl('WorkQueue'), MessageBody: body }))
  client.destroy()
}

describe('a running stack', () => {
  it('gives its functions the table, the queue, the secret and their own address', async () => {
    const service = await start()
    expect(await request(service)).toMatchObject({
      table: service.tableName,
      queue: service.queueUrl('WorkQueue'),
      key: service.secrets.values.Key5678ABCD,
      site: service.baseUrl,
    })
  })

  it('uses its parameters instead of the defaults of the template', async () => {
    const service = await start({ parameters: { SiteUrl: 'https://example.com' } })
    expect(await request(service)).toMatchObject({ site: 'https://example.com' })
  })

  it('invokes functions with queued messages and moves failures to the dead-letter queue', async () => {
    const service = await start()
    await send(service, 'fine')
    await send(service, 'fail')
    await eventually(async () =>
      expect((await request(service)).calls.sort()).toEqual(['fail', 'fail', 'fine']),
    )
    await eventually(() => expect(service.queueDepth('WorkDeadLetters')).toMatchObject({ visible: 1 }))
    expect(service.queueDepth('WorkQueue')).toEqual({ visible: 0, inFlight: 0, delayed: 0 })
  })

  it('runs its schedules immediately after the start', async () => {
    const service = await start({ clock: true })
    await eventually(async () => expect((await request(service)).calls).toEqual(['tick']))
  })

  it('runs a schedule on request', async () => {
    const service = await start()
    await service.runSchedule('Tick')
    await service.runSchedule('Everything')
    expect((await request(service)).calls).toEqual(['tick', 'tick'])
  })

  it('lists the existing names if a name is wrong', async () => {
    const service = await start()
    expect(() => service.queueUrl('Nothing')).toThrow('WorkQueue0A1B2C3D')
    expect(() => service.queueUrl('Work')).toThrow('More than one name matches Work')
  })

  it('shares nothing with other running stacks', async () => {
    const [one, two] = await Promise.all([start(), start()])
    expect(one.baseUrl).not.toBe(two.baseUrl)
    expect(one.tableName).not.toBe(two.tableName)
    await one.stop()
    expect((await fetch(two.baseUrl)).status).toBe(200)
  })

  it('keeps mails in memory, or as files in its state', async () => {
    const [inMemory, withState] = await Promise.all([
      start(),
      start({ state: await openState(join(stack.folder, 'state')) }),
    ])
    for (const service of [inMemory, withState]) {
      const { ses } = await request(service)
      const headers = { 'X-Amz-Security-Token': parseEndpoint(service.sqsEndpoint).key }
      const url = `${ses}/v2/email/outbound-emails`
      const response = await fetch(url, { method: 'POST', headers, body: sendEmail })
      expect(response.status).toBe(200)
    }
    expect(inMemory.mails).toMatchObject([{ to: 'ada@example.com', subject: 'Hello' }])
    expect(withState.mails).toEqual([])
    expect(await readdir(join(stack.folder, 'state', 'mail'))).toHaveLength(1)
  })

  it('leaves no open port after the stop', async () => {
    const service = await start()
    const { ses } = await request(service)
    await service.stop()
    const [table, queues] = [service.dynamodbEndpoint, service.sqsEndpoint].map(
      endpoint => parseEndpoint(endpoint).url,
    )
    for (const url of [service.baseUrl, table ?? '', queues ?? '', ses]) {
      await expect(fetch(url)).rejects.toThrow()
    }
  })

  it('releases everything if it fails to start', async () => {
    const other = await start()
    const port = Number(new URL(other.baseUrl).port)
    const folder = join(stack.folder, 'state')
    await expect(start({ port, state: await openState(folder) })).rejects.toThrow(`${port}`)
    await start({ state: await openState(folder) })
  })

  it('finds its table and secrets after a restart on the same state', async () => {
    const folder = join(stack.folder, 'state')
    const first = await start({ state: await openState(folder) })
    const { key, table } = await request(first)
    await first.stop()
    const second = await start({ state: await openState(folder) })
    expect(await request(second)).toMatchObject({ key, table })
  })
})
