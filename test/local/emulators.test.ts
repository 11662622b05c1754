// The emulators: isolated from each other, and ended with the process that started them.
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
import { startDynamodb, startEmulators } from '../../infra/local/dynamodb/database.ts'
import { createTables } from '../../infra/local/dynamodb/tables.ts'
import { commandLineOf, signal } from '../../infra/local/processes.ts'
import { eventually } from './eventually.ts'
import { TABLE } from './small-stack.ts'

const networkFile = new URL('../../infra/local/dynamodb/network.ts', import.meta.url).href
const emulatorsFile = new URL('../../infra/local/dynamodb/database.ts', import.meta.url).href

function untilEnded(pid: number) {
  return eventually(async () => expect(await commandLineOf(pid)).toBe(''))
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'emulators-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function tableIn(endpoint: string) {
  const resource = { id: 'Content', type: TABLE.Type, properties: TABLE.Properties }
  return createTables({ resources: [resource], resolve: value => value, endpoint, suffix: 'x' })
}

describe('DynamoDB', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it('ends when the service that started it is killed', async () => {
    const script = `
      const { startDynamodb } = await import(${JSON.stringify(emulatorsFile)})
      process.stdout.write(String((await startDynamodb()).pid))
      setInterval(() => {}, 1000)`
    const service = spawn(process.execPath, ['--input-type=module', '-e', script])
    onTestFinished(() => void service.kill('SIGKILL'))
    const [output] = await once(service.stdout, 'data')
    const pid = Number(output)
    expect(await commandLineOf(pid)).not.toBe('')
    service.kill('SIGKILL')
    await untilEnded(pid)
  })

  it('requires the key also on a system without private networks', async () => {
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
    // With this PATH neither `unshare` nor `ip` exists.
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, PATH: '/nowhere' },
    })
    expect(JSON.parse(stdout)).toEqual({
      isPrivate: false,
      host: expect.stringMatching(process.platform === 'darwin' ? /^127\.0\.0\.1$/ : /^127\.\d+\.\d+\.\d+$/),
      statuses: [403, 200],
    })
  })

  it('ends when it is stopped', async () => {
    const dynamodb = await startDynamodb()
    await dynamodb.stop()
    await untilEnded(dynamodb.pid ?? 0)
    await expect(fetch(parseEndpoint(dynamodb.endpoint).url)).rejects.toThrow()
  })

  it('reports that it has ended by itself', async () => {
    const dynamodb = await startDynamodb()
    signal(dynamodb.pid ?? 0, 'SIGKILL')
    await expect(dynamodb.failed).resolves.toBeTypeOf('string')
    await dynamodb.stop()
  })

  it('keeps its data in a file, or in memory apart from others', async () => {
    const file = join(await newFolder(), 'new', 'dynamodb.db')
    const first = await startDynamodb(file)
    await tableIn(first.endpoint)
    await first.stop()
    const [again, other] = await Promise.all([startDynamodb(file), startDynamodb()])
    onTestFinished(() => Promise.all([again.stop(), other.stop()]).then(() => {}))
    expect(await tableNames(again.endpoint)).toEqual(['Content-x'])
    expect(await tableNames(other.endpoint)).toEqual([])
  })

  it('is the database at DYNAMODB_ENDPOINT, which is not stopped', async () => {
    const running = await startDynamodb()
    onTestFinished(() => running.stop())
    vi.stubEnv('DYNAMODB_ENDPOINT', running.endpoint)
    const dynamodb = await startDynamodb('/nowhere/dynamodb.db')
    expect(dynamodb).toMatchObject({ endpoint: running.endpoint, pid: undefined })
    await dynamodb.stop()
    expect(await tableNames(running.endpoint)).toEqual([])
  })
})

describe('an unusable DYNAMODB_ENDPOINT', () => {
  it.each([
    ['abc', 'DYNAMODB_ENDPOINT takes an address like http://127.0.0.1:8000, not abc.'],
    ['http://127.0.0.1:1', 'Nothing answers at http://127.0.0.1:1. Start a DynamoDB there'],
  ])('makes the start fail with advice: %s', async (endpoint, message) => {
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('DYNAMODB_ENDPOINT', endpoint)
    await expect(startDynamodb()).rejects.toThrow(message)
  })
})

describe('startEmulators', () => {
  it('stops the others if one fails', async () => {
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
