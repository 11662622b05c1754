// Output of commands: queued work, the version, and missing access to AWS.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { outboxRow } from '../../shared/events/outbox.ts'
import { docKey } from '../../shared/table/design.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'
import { operatorOn } from './operator-world.ts'

const world = useWorld()
let operator: ReturnType<typeof operatorOn>
let folder: string
beforeAll(async () => {
  operator = operatorOn(world)
  folder = await mkdtemp(join(tmpdir(), 'words-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

describe('doctor', () => {
  it('exits with 1 and names a post that the search index does not have', async () => {
    const { id } = await world.create.livePost()
    await until('the post to be merged', () => world.isIndexed())
    expect(await operator.run(['doctor'])).toMatchObject({ code: 0 })
    await world.table.removeMany([docKey(id)])
    const { code, out } = await operator.run(['doctor'])
    expect(code).toBe(1)
    expect(out).toContain(`post ${id}: the search index is out of date for it.`)
    await operator.run(['doctor', '--repair'])
  })

  it('says that messages of a stopped service are queued, and exits with 0', async () => {
    const row = outboxRow({ queue: 'jobs', body: { kind: 'list', list: 'none' } }, Date.now() - 180_000)
    await world.table.write({ Put: { Item: row } })
    const stopped = operatorOn(world, Date.now, { isIdle: true })
    const { code, out } = await stopped.run(['doctor'])
    expect([code, out]).toEqual([0, expect.stringContaining('messages for the queue jobs are queued.')])
    expect(out).toContain('The service will send them once it runs.')
    expect((await stopped.json(['doctor'])).queued).toBe(1)
    await world.table.removeMany([{ pk: row.pk, sk: row.sk }])
  })
})

async function run(file: string, args: string[], env: Record<string, string> = {}) {
  const bare = { PATH: process.env.PATH, HOME: folder, AWS_EC2_METADATA_DISABLED: 'true', ...env }
  return await promisify(execFile)(process.execPath, [file, ...args], { env: bare }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
}

describe('--version', () => {
  it.each(['infra/local/start.ts', 'infra/operator/operator.ts'])('prints the version of %s', async file => {
    expect(await run(file, ['--version'])).toMatchObject({ code: 0, stdout: `${manifest.version}\n` })
  })
})

describe('--stage', () => {
  it('prints which variables to set without a region or credentials', async () => {
    const withoutRegion = await run('infra/operator/operator.ts', ['user', 'list', '--stage', 'live'])
    expect(withoutRegion).toMatchObject({ code: 1, stderr: expect.stringContaining('Set AWS_REGION to') })
    const withoutCredentials = await run('infra/operator/operator.ts', ['user', 'list', '--stage', 'live'], {
      AWS_REGION: 'us-east-1',
    })
    expect(withoutCredentials).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'),
    })
  })
})
