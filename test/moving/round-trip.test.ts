// An export of a full service, imported into a fresh one: it answers the same.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../operator/operator-world.ts'
import { dumpAt } from '../world/table.ts'
import { useWorld } from '../world/world.ts'
import { answersOf, fillSite } from './full-site.ts'

const old = useWorld({ isNew: true })
const fresh = useWorld({ isNew: true })
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moving-'))
  await fillSite(old)
  return () => rm(folder, { recursive: true })
})

describe('export and import', () => {
  it('give a fresh service the same answers, the same counts and nothing for the doctor', async () => {
    const [from, to] = [operatorOn(old), operatorOn(fresh)]
    const file = join(folder, 'site.jsonl.gz')
    await from.json(['export', '--out', file])
    const dry = await to.json(['import', file, '--dry-run'])
    const made = await to.json(['import', file])
    expect(made.counts).toEqual(dry.counts)
    expect(made.records.filter(({ outcome }: { outcome: string }) => outcome !== 'made')).toEqual([
      expect.objectContaining({ kind: 'user', id: 1, reason: 'There is an account with this address.' }),
    ])
    const [before, after] = [await answersOf(old), await answersOf(fresh)]
    expect([...after.keys()]).toEqual([...before.keys()])
    for (const [path, answer] of before) expect(after.get(path), path).toEqual(answer)
    const { webhooks: _, ...counts } = await to.json(['counts'])
    expect(counts).toEqual(await from.json(['counts']).then(({ webhooks: _, ...all }) => all))
    expect((await to.run(['doctor'])).out).toContain('Nothing is wrong.')
  })

  it('change nothing when the import is repeated', async () => {
    const to = operatorOn(fresh)
    const before = await dumpAt(fresh.dynamodbEndpoint, fresh.tableName)
    const again = await to.json(['import', join(folder, 'site.jsonl.gz')])
    const outcomes = new Set(again.records.map(({ outcome }: { outcome: string }) => outcome))
    expect([...outcomes]).toEqual(['skipped'])
    expect(await dumpAt(fresh.dynamodbEndpoint, fresh.tableName)).toEqual(before)
  })
})
