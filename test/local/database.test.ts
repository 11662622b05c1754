// The process of the database: it ends with the service, keeps its data apart, and is hard to find.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DescribeTimeToLiveCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { hiddenAddress } from '../../infra/local/addresses.ts'
import { startDynamodb } from '../../infra/local/dynamodb/database.ts'
import { createLocalTable, LOCAL_TABLE } from '../../infra/local/dynamodb/table.ts'
import { newFolder } from '../support/folder.ts'
import { processesWith } from '../support/processes.ts'
import { eventually } from './eventually.ts'

const databaseFile = new URL('../../infra/local/dynamodb/database.ts', import.meta.url).href

afterEach(() => {
  vi.unstubAllEnvs()
})

/** The processes of a database listen on an address of their own. */
function processesAt(endpoint: string) {
  return processesWith(new URL(endpoint).hostname)
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
      process.stdout.write((await startDynamodb()).endpoint)
      setInterval(() => {}, 1000)`
    const service = spawn(process.execPath, ['--input-type=module', '-e', script])
    onTestFinished(() => void service.kill('SIGKILL'))
    const [output] = await once(service.stdout, 'data')
    const endpoint = String(output)
    expect(processesAt(endpoint)).not.toEqual([])
    service.kill('SIGKILL')
    await eventually(() => expect(processesAt(endpoint)).toEqual([]))
  })

  it('reports that it has ended by itself', async () => {
    const dynamodb = await openDynamodb()
    process.kill(dynamodb.pid, 'SIGKILL')
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
