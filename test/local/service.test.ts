// The service in one process: its two threads, its parts when one fails, and another service beside it.
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { listenHidden } from '../../infra/local/addresses.ts'
import { openBackground } from '../../infra/local/background.ts'
import { openBackgroundThread } from '../../infra/local/background-thread.ts'
import { openLocalTable } from '../../infra/local/dynamodb/table.ts'
import { openService } from '../../infra/local/service.ts'
import { openState } from '../../infra/local/state.ts'
import { keyOfRow, outboxRow } from '../../shared/events/outbox.ts'
import { newsletter } from '../../shared/newsletter/contract.ts'
import { saveSettings } from '../../shared/site/commands.ts'
import { site } from '../../shared/site/contract.ts'
import { callAt } from '../support/call.ts'
import { newFolder } from '../support/folder.ts'
import { runService } from '../support/local-service.ts'
import { mailIn } from '../support/mail.ts'
import { processesWith } from '../support/processes.ts'
import { eventually } from './eventually.ts'

/** With its workers in a thread, as `npm start` opens it. */
async function openInThreads() {
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  const service = await openService({
    openBackground: folders => openBackgroundThread({ folders, log }),
    hasClock: false,
    log,
  })
  onTestFinished(() => service.stop())
  return { ...service, lines, call: callAt(service.baseUrl) }
}

async function openHere(options: Parameters<typeof runService>[0] = {}) {
  const service = await runService({ hasClock: false, ...options })
  onTestFinished(() => service.stop())
  return { ...service, call: callAt(service.baseUrl), mailTo: mailIn(service.mails) }
}

describe('the thread of the workers', () => {
  it('handles the messages of requests, and its lines are in the log', async () => {
    const { call, lines, baseUrl } = await openInThreads()
    await call(newsletter.subscribe, { body: { email: 'reader@example.com' } })
    const mail = new RegExp(`^mail to reader@example.com .*: ${baseUrl}/`)
    await eventually(() => expect(lines).toContainEqual(expect.stringMatching(mail)))
  })

  it('ends with the service', async () => {
    const { stop, endpoints, baseUrl } = await openInThreads()
    await stop()
    for (const url of [endpoints.sqs, endpoints.ses, endpoints.dynamodb, baseUrl]) {
      await expect(fetch(url)).rejects.toThrow()
    }
  })
})

describe('a service that does not start', () => {
  it('stops its other parts and releases its state', async () => {
    const folder = await newFolder()
    const state = await openState(folder)
    await writeFile(state.queuesFolder, 'in the way')
    const log = () => {}
    const opening = openService({ openBackground: folders => openBackgroundThread({ folders, log }), state })
    await expect(opening).rejects.toThrow(/queues/)
    const again = await openState(folder)
    await again.release()
  })

  it('ends its database if its port is taken', async () => {
    const { endpoint, stop } = await listenHidden(createServer())
    onTestFinished(stop)
    const { hostname, port } = new URL(endpoint)
    const state = await openState(await newFolder())
    const opening = openService({
      openBackground: folders => openBackground({ folders, log: () => {} }),
      state,
      port: Number(port),
      hosts: [hostname],
    })
    await expect(opening).rejects.toThrow(`Port ${port}`)
    expect(existsSync(state.databaseFile)).toBe(true)
    expect(processesWith(state.folder)).toEqual([])
  })
})

describe('two services in one process', () => {
  it('each have their own data, settings and mails', async () => {
    const services = await Promise.all([openHere(), openHere()])
    const names = ['The first', 'The second']
    for (const [n, { dynamodbEndpoint, tableName }] of services.entries()) {
      await saveSettings(openLocalTable(dynamodbEndpoint, tableName), { 'general.site_name': names[n] ?? '' })
    }
    await eventually(async () => {
      const shown = await Promise.all(services.map(({ call }) => call(site.getPublicSettings)))
      expect(shown.map(({ data }) => data['general.site_name'])).toEqual(names)
    })
    const readers = services.map((_, n) => `reader-${n}@example.com`)
    const subscribe = (email: string, n: number) =>
      services[n]?.call(newsletter.subscribe, { body: { email } })
    await Promise.all(readers.map(subscribe))
    for (const [n, { baseUrl, mailTo, mails }] of services.entries()) {
      const { links } = await mailTo(readers[n] ?? '')
      expect(links.map(({ url }) => url.startsWith(`${baseUrl}/`))).not.toContain(false)
      expect(mails).toHaveLength(1)
    }
  })
})

describe('the clock', () => {
  it('runs each schedule when the service starts', async () => {
    const folder = await newFolder()
    const before = await openHere({ state: await openState(folder) })
    const row = outboxRow({ queue: 'jobs', body: { kind: 'list', list: 'category:0' } }, Date.now() - 200_000)
    await openLocalTable(before.dynamodbEndpoint, before.tableName).write({ Put: { Item: row } })
    await before.stop()
    const { dynamodbEndpoint, tableName } = await openHere({ state: await openState(folder), hasClock: true })
    const table = openLocalTable(dynamodbEndpoint, tableName)
    await eventually(async () => expect(await table.find(keyOfRow(row), z.unknown())).toBeUndefined())
  })
})
