// Limits what a cold start loads, by size, and what an init reads.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import * as z from 'zod/mini'
import { API_FUNCTIONS } from '../../shared/service/api-functions.ts'
import { openServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const folder = join(inject('assembly'), 'functions')
const names = readdirSync(folder).filter(name => name !== 'meta.json')
function fileOf(name: string) {
  return join(folder, name, 'index.cjs')
}

const Inputs = z.record(z.string(), z.object({ bytesInOutput: z.number() }))
const Meta = z.object({ outputs: z.record(z.string(), z.object({ inputs: Inputs })) })
const { outputs } = Meta.parse(JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8')))

/** The functions whose bundle has code of such a file. */
function having(file: RegExp): string[] {
  return Object.entries(outputs).flatMap(([output, { inputs }]) =>
    Object.entries(inputs).some(([path, { bytesInOutput }]) => bytesInOutput > 0 && file.test(path))
      ? (output.split('/').at(-2) ?? '')
      : [],
  )
}

describe('the bundle of a function', () => {
  it('has at most 600 kB, and that of admin 800 kB', () => {
    // `public` loads with the first reader of a quiet stage; `admin` serves the most endpoints.
    const most = (name: string) => (name === 'admin' ? 800_000 : 600_000)
    const large = names.filter(name => statSync(fileOf(name)).size > most(name))
    expect(large, 'meta.json in the folder of the bundles lists their contents.').toEqual([])
  })

  it('contains only its own endpoints', () => {
    const functions = Object.entries(API_FUNCTIONS).map(([name, { endpoints }]) => ({
      name,
      paths: Object.values(endpoints).map(({ path }) => path),
    }))
    const all = functions.flatMap(({ paths }) => paths)
    const wrong = functions.flatMap(({ name, paths }) => {
      const bundle = readFileSync(fileOf(name), 'utf8')
      const others = all.filter(path => !paths.includes(path))
      return others.filter(path => bundle.includes(`path:"${path}"`)).map(path => `${name} has ${path}`)
    })
    expect(
      wrong,
      'A call at the top level keeps the contract in the bundle: make groups by `group` and `handlersOf`.',
    ).toEqual([])
  })

  it('contains neither the large form of zod nor languages other than English', () => {
    expect(having(/zod\/v4\/(classic|locales\/(?!en\.))/)).toEqual([])
  })

  it('has a client of AWS only where the function calls AWS', () => {
    const without = names.filter(name => !having(/@aws-sdk|@smithy/).includes(name))
    expect(without).toEqual(['authorize-tier', 'check-release'])
  })
})

const READ_SECRET = 'secretsmanager.GetSecretValue'

/** DynamoDB and Secrets Manager for a function's init: every item is missing. If silent, no answer comes. */
async function openDatabase(isSilent: boolean) {
  const requests: string[] = []
  const sockets = new Set<unknown>()
  let answered = 0
  const { url, stop } = await openServer((request, response) => {
    const target = String(request.headers['x-amz-target'])
    requests.push(target)
    sockets.add(request.socket)
    request.resume()
    if (isSilent) return
    setTimeout(() => {
      answered++
      response.end(target === READ_SECRET ? '{"SecretString":"the key of client addresses"}' : '{}')
    }, 100)
  })
  return { url, stop, counts: () => ({ requests, answered, connections: sockets.size }) }
}

const LOAD = `import(process.argv[1]).then(({ handler }) => {
  process.stdout.write(typeof handler)
  process.exit()
})`

/** Loads `public` as Lambda does, and resolves after its init. */
async function init(endpoint: string): Promise<string> {
  const env = {
    AWS_LAMBDA_FUNCTION_NAME: 'public',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL: endpoint,
    TABLE_NAME: 'table',
    SITE_URL: 'https://site.example',
    CLIENT_KEY_SECRET: 'the ARN of the key of client addresses',
  }
  const file = join(folder, 'public', 'index.mjs')
  return (await promisify(execFile)(process.execPath, ['-e', LOAD, file], { env })).stdout
}

describe('the init of an API function', () => {
  it('ends when secret and settings are read and three connections to the table are open', async () => {
    // It waits a second at most, in which a busy machine may not answer: then another init shows it.
    const { requests, connections } = await until('an init with answers in time', async () => {
      const database = await openDatabase(false)
      expect(await init(database.url)).toBe('function')
      await database.stop()
      return database.counts().answered === 4 && database.counts()
    })
    expect(requests.toSorted()).toEqual([...Array(3).fill('DynamoDB_20120810.GetItem'), READ_SECRET])
    expect(connections).toBe(4)
  })

  it('ends even if the table does not answer', async () => {
    const database = await openDatabase(true)
    expect(await init(database.url)).toBe('function')
    expect(database.counts().answered).toBe(0)
    await database.stop()
  })

  it('is a part of every API function, and of no other', () => {
    expect(having(/^shared\/lambda\/initialize\.ts$/).toSorted()).toEqual(
      Object.keys(API_FUNCTIONS).toSorted(),
    )
  })
})
