// Limits what a cold start loads, by size.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import * as z from 'zod/mini'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { until } from '../support/until.ts'

/** `public` loads with the first reader of a quiet stage; `admin` serves the most endpoints. */
function largestBytes(name: string): number {
  return name === 'admin' ? 800_000 : 600_000
}

const folder = join(inject('assembly'), 'functions')
const names = readdirSync(folder).filter(name => name !== 'meta.json')
function fileOf(name: string) {
  return join(folder, name, 'index.cjs')
}

const Meta = z.object({
  outputs: z.record(
    z.string(),
    z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) }),
  ),
})
const meta = Meta.parse(JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8')))

describe('the bundle of a function', () => {
  it('has at most 600 kB, and that of admin 800 kB', () => {
    const large = names.filter(name => statSync(fileOf(name)).size > largestBytes(name))
    expect(large, 'meta.json in the folder of the bundles lists their contents.').toEqual([])
  })

  it('contains only its own endpoints', () => {
    const paths = (name: string) =>
      Object.values(API_FUNCTIONS[name]?.endpoints ?? {}).map(({ path }) => path)
    const wrong = Object.keys(API_FUNCTIONS).flatMap(name => {
      const bundle = readFileSync(fileOf(name), 'utf8')
      const own = new Set(paths(name))
      const others = Object.keys(API_FUNCTIONS)
        .flatMap(paths)
        .filter(path => !own.has(path))
      return others.filter(path => bundle.includes(`path:"${path}"`)).map(path => `${name} has ${path}`)
    })
    expect(
      wrong,
      'A call at the top level keeps the contract in the bundle: make groups by `group` and `handlersOf`.',
    ).toEqual([])
  })

  it('contains neither the large form of zod nor languages other than English', () => {
    const wrong = Object.entries(meta.outputs).flatMap(([output, { inputs }]) =>
      Object.entries(inputs)
        .filter(
          ([path, { bytesInOutput }]) =>
            bytesInOutput > 0 && /zod\/v4\/(classic|locales\/(?!en\.))/.test(path),
        )
        .map(([path]) => `${output} has ${path}`),
    )
    expect(wrong).toEqual([])
  })
})

/** DynamoDB and Secrets Manager for a function's init: every item is missing. If silent, no answer comes. */

const READ_SECRET = 'secretsmanager.GetSecretValue'
async function openDatabase(isSilent: boolean) {
  const requests: string[] = []
  let answered = 0
  const sockets = new Set<unknown>()
  const server = createServer((request, response) => {
    requests.push(String(request.headers['x-amz-target']))
    request.resume()
    if (isSilent) return
    setTimeout(() => {
      answered++
      const isSecret = request.headers['x-amz-target'] === READ_SECRET
      response.end(isSecret ? JSON.stringify({ SecretString: 'the key of client addresses' }) : '{}')
    }, 100)
  })
  server.on('connection', socket => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const counts = () => ({ requests, answered, connections: sockets.size })
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, counts, stop }
}

const LOAD = `import(process.argv[1]).then(({ handler }) => {
  process.stdout.write(typeof handler)
  process.exit()
})`
/** Loads a function as Lambda does, and resolves after its init. */
async function init(name: string, endpoint: string): Promise<string> {
  const env = {
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL: endpoint,
    TABLE_NAME: 'table',
    SITE_URL: 'https://site.example',
    CLIENT_KEY_SECRET: 'the ARN of the key of client addresses',
  }
  const file = join(folder, name, 'index.mjs')
  return (await promisify(execFile)(process.execPath, ['-e', LOAD, file], { env })).stdout
}

describe('the init of an API function', () => {
  it('ends when secret and settings are read and three connections to the table are open', async () => {
    // It waits a second at most, in which a busy machine may not answer: then another init shows it.
    const counts = await until('an init with answers in time', async () => {
      const database = await openDatabase(false)
      expect(await init('public', database.url)).toBe('function')
      database.stop()
      const { answered } = database.counts()
      return answered === 4 && database.counts()
    })
    expect(counts.requests.toSorted()).toEqual([...Array(3).fill('DynamoDB_20120810.GetItem'), READ_SECRET])
    expect(counts.connections).toBe(4)
  })

  it('ends even if the table does not answer', async () => {
    const database = await openDatabase(true)
    expect(await init('public', database.url)).toBe('function')
    expect(database.counts().answered).toBe(0)
    database.stop()
  })

  it('is a part of every API function, and of no other', () => {
    const warmed = Object.entries(meta.outputs).flatMap(([path, { inputs }]) =>
      'shared/lambda/initialize.ts' in inputs ? path.split('/').at(-2) : [],
    )
    expect(warmed.sort()).toEqual(Object.keys(API_FUNCTIONS).sort())
  })
})
