// The process of the database: it ends with the service, keeps its data apart, and is hard to find.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DescribeTimeToLiveCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { hiddenAddress } from '../../infra/local/addresses.ts'
import { startDynamodb } from '../../infra/local/dynamodb/database.ts'
import { createLocalTable, LOCAL_TABLE } from '../../infra/local/dynamodb/table.ts'
import { commandLineOf, signal } from '../../infra/local/processes.ts'
import { eventually } from './eventually.ts'

const databaseFile = new URL('../../infra/local/dynamodb/database.ts', import.meta.url).href

afterEach(() => {
  vi.unstubAllEnvs()
})

function untilEnded(pid: number) {
  return eventually(async () => expect(await commandLineOf(pid)).toBe(''))
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'database-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function openDynamodb(file?: string) {
  const dynamodb = await startDynamodb(file)
  onTestFinished(() => dynamodb.stop())
  return dynamodb
}

function clientOf(endpoint: string) {
  const client = new DynamoDBClient(clientSettings(endpoint))
  onTestFinished(() => client.destroy())
  return client
}

async function tableNames(endpoint: string) {
  return (await clientOf(endpoint).send(new ListTablesCommand({}))).TableNames
}

describe('the database', () => {
  it('ends when the service that started it is killed', async () => {
    const script = `
      const { startDynamodb } = await import(${JSON.stringify(databaseFile)})
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

  it('ends when it is stopped', async () => {
    const dynamodb = await startDynamodb()
    await dynamodb.stop()
    await untilEnded(dynamodb.pid ?? 0)
    await expect(fetch(dynamodb.endpoint)).rejects.toThrow()
  })

  it('reports that it has ended by itself', async () => {
    const dynamodb = await openDynamodb()
    signal(dynamodb.pid ?? 0, 'SIGKILL')
    await expect(dynamodb.failed).resolves.toBeTypeOf('string')
  })

  it('keeps its data in a file, or in memory apart from others', async () => {
    const file = join(await newFolder(), 'new', 'dynamodb.db')
    const first = await openDynamodb(file)
    await createLocalTable(first.endpoint)
    await first.stop()
    const [again, other] = await Promise.all([openDynamodb(file), openDynamodb()])
    expect(await tableNames(again.endpoint)).toEqual([LOCAL_TABLE])
    expect(await tableNames(other.endpoint)).toEqual([])
  })

  it('listens on a random address of this machine only', async () => {
    const { hostname } = new URL((await openDynamodb()).endpoint)
    expect(hostname).toMatch(/^127\.\d+\.\d+\.\d+$/)
    if (process.platform === 'darwin') return
    expect(hostname).not.toBe('127.0.0.1')
    expect(new Set([hostname, hiddenAddress(), hiddenAddress()]).size).toBe(3)
  })
})

describe('an emulator that does not start', () => {
  it('is reported with its last words', async () => {
    const emulator = join(await newFolder(), 'emulator')
    await writeFile(emulator, '#!/bin/sh\necho "no such disk" >&2\nexit 1\n', { mode: 0o755 })
    vi.stubEnv('DYNAMODB', '')
    vi.stubEnv('DYNOXIDE', emulator)
    await expect(startDynamodb()).rejects.toThrow('dynoxide does not start: no such disk')
  })
})

describe('DYNAMODB_ENDPOINT', () => {
  it('names the database to use, which is not stopped', async () => {
    const running = await openDynamodb()
    vi.stubEnv('DYNAMODB_ENDPOINT', `${running.endpoint}/`)
    const dynamodb = await startDynamodb('/nowhere/dynamodb.db')
    expect(dynamodb).toMatchObject({ endpoint: running.endpoint, pid: undefined })
    await dynamodb.stop()
    expect(await tableNames(running.endpoint)).toEqual([])
  })

  it.each([
    ['abc', 'DYNAMODB_ENDPOINT takes an address like http://127.0.0.1:8000, not abc.'],
    ['http://127.0.0.1:1', 'Nothing answers at http://127.0.0.1:1. Start a DynamoDB there'],
  ])('makes the start fail with advice if it is %s', async (endpoint, message) => {
    vi.stubEnv('DYNAMODB_ENDPOINT', endpoint)
    await expect(startDynamodb()).rejects.toThrow(message)
  })
})

describe('the table', () => {
  it('is created once, and its items expire', async () => {
    const { endpoint } = await openDynamodb()
    await createLocalTable(endpoint)
    await createLocalTable(endpoint)
    const command = new DescribeTimeToLiveCommand({ TableName: LOCAL_TABLE })
    const { TimeToLiveDescription } = await clientOf(endpoint).send(command)
    expect(TimeToLiveDescription).toMatchObject({ AttributeName: 'expires', TimeToLiveStatus: 'ENABLED' })
  })
})
