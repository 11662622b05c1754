// The emulators: each its own world, and none left behind, however the process that started it ends.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { parseEndpoint } from '../../infra/local/door/endpoint.ts'
import { createTables } from '../../infra/local/dynamodb/tables.ts'
import { startDynamodb, startEmulators } from '../../infra/local/emulators.ts'
import { commandLineOf, signal } from '../../infra/local/processes.ts'
import { eventually } from './eventually.ts'
import { table } from './small-stack.ts'

const networkFile = new URL('../../infra/local/dynamodb/network.ts', import.meta.url).href
const emulatorsFile = new URL('../../infra/local/emulators.ts', import.meta.url).href

function untilGone(pid: number) {
  return eventually(async () => expect(await commandLineOf(pid)).toBe(''))
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'emulators-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function tableIn(endpoint: string) {
  const resource = { id: 'Content', type: table.Type, properties: table.Properties }
  return createTables({ resources: [resource], resolve: value => value, endpoint, suffix: 'x' })
}

describe('DynamoDB', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it('is gone when the service that started it was killed', async () => {
    const script = `
      const { startDynamodb } = await import(${JSON.stringify(emulatorsFile)})
      process.stdout.write(String((await startDynamodb()).pid))
      setInterval(() => {}, 1000)`
    const service = spawn(process.execPath, ['--input-type=module', '-e', script])
    onTestFinished(() => void service.kill('SIGKILL'))
    const [said] = await once(service.stdout, 'data')
    const pid = Number(said)
    expect(await commandLineOf(pid)).not.toBe('')
    service.kill('SIGKILL')
    await untilGone(pid)
  })

  it('answers behind its door also where the system gives it no network of its own', async () => {
    const script = `
      const { startDynamodb } = await import(${JSON.stringify(emulatorsFile)})
      const { findNetwork } = await import(${JSON.stringify(networkFile)})
      const { isPrivate, host } = await findNetwork()
      const { endpoint, stop } = await startDynamodb()
      const { origin, username } = new URL(endpoint)
      const status = async key =>
        (await fetch(origin, { headers: { 'X-Amz-Security-Token': key } })).status
      console.log(JSON.stringify({ isPrivate, host, statuses: [await status('none'), await status(username)] }))
      await stop()`
    // Neither `unshare` nor `ip` is found.
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, PATH: '/nowhere' },
    })
    expect(JSON.parse(stdout)).toEqual({
      isPrivate: false,
      host: expect.stringMatching(process.platform === 'darwin' ? /^127\.0\.0\.1$/ : /^127\.\d+\.\d+\.\d+$/),
      statuses: [403, 200],
    })
  })

  it('is gone when it was stopped', async () => {
    const dynamodb = await startDynamodb()
    await dynamodb.stop()
    await untilGone(dynamodb.pid ?? 0)
    await expect(fetch(parseEndpoint(dynamodb.endpoint).url)).rejects.toThrow()
  })

  it('says so when it ends by itself', async () => {
    const dynamodb = await startDynamodb()
    signal(dynamodb.pid ?? 0, 'SIGKILL')
    await expect(dynamodb.failed).resolves.toBeTypeOf('string')
    await dynamodb.stop()
  })

  it('keeps its data in a file, and apart from others in memory', async () => {
    const file = join(await newFolder(), 'new', 'dynamodb.db')
    const first = await startDynamodb(file)
    await tableIn(first.endpoint)
    await first.stop()
    const [again, other] = await Promise.all([startDynamodb(file), startDynamodb()])
    onTestFinished(() => Promise.all([again.stop(), other.stop()]).then(() => {}))
    expect(await tableNames(again.endpoint)).toEqual(['Content-x'])
    expect(await tableNames(other.endpoint)).toEqual([])
  })

  it('is the one that DYNAMODB_ENDPOINT names, which is left running', async () => {
    const running = await startDynamodb()
    onTestFinished(() => running.stop())
    vi.stubEnv('DYNAMODB_ENDPOINT', running.endpoint)
    const given = await startDynamodb('/nowhere/dynamodb.db')
    expect(given).toMatchObject({ endpoint: running.endpoint, pid: undefined })
    await given.stop()
    expect(await tableNames(running.endpoint)).toEqual([])
  })
})

describe('a DYNAMODB_ENDPOINT that cannot be used', () => {
  it.each([
    ['abc', 'DYNAMODB_ENDPOINT takes an address like http://127.0.0.1:8000, not abc.'],
    ['http://127.0.0.1:1', 'Nothing answers at http://127.0.0.1:1. Start a DynamoDB there'],
  ])('is refused in words: %s', async (given, words) => {
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('DYNAMODB_ENDPOINT', given)
    await expect(startDynamodb()).rejects.toThrow(words)
  })
})

describe('all emulators', () => {
  it('leave none running when one fails', async () => {
    const folder = await newFolder()
    const databaseFile = join(folder, 'dynamodb.db')
    const inTheWay = join(folder, 'file')
    await writeFile(inTheWay, '')
    const [queuesFolder, mailFolder] = [join(inTheWay, 'queues'), join(folder, 'mail')]
    await expect(startEmulators({ databaseFile, queuesFolder, mailFolder })).rejects.toThrow()
  })
})

async function tableNames(endpoint: string) {
  const client = new DynamoDBClient(clientSettings(endpoint))
  onTestFinished(() => client.destroy())
  return (await client.send(new ListTablesCommand({}))).TableNames
}
