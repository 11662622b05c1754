// An export of a full stage that was killed and continued, imported into a fresh stage: it answers the same.
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { auth } from '../../shared/accounts/contract.ts'
import { run, stageOf } from '../operator/operator-process.ts'
import { operatorOn } from '../operator/operator-world.ts'
import type { Interceptor } from '../support/faults/call-proxy.ts'
import { useWorld } from '../support/world.ts'
import { answersOf, fillSite } from './full-site.ts'

const old = useWorld({ isNew: true })
const fresh = useWorld({ isNew: true })
const PASSWORD = 'a password'
let folder = ''
let reader = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moving-'))
  await fillSite(old)
  reader = (await old.create.user({ password: PASSWORD })).email
  // Together with the large post of the site more than a block of the export.
  for (let n = 0; n < 2; n++) await old.create.livePost({ body: `<p>${'long '.repeat(80_000)}</p>` })
  return () => rm(folder, { recursive: true })
})

/** The lines of an export, without the time of its start. */
function linesOf(text: string): string[] {
  return text.replace(/"exported_at":"[^"]*"/, '').split('\n')
}

describe('export and import', () => {
  it('export a stage whole, although SIGKILL ended the first run after its first block', async () => {
    const file = join(folder, 'site.jsonl.gz')
    const killing = new AbortController()
    const killer: Interceptor = async (call, next) => {
      if (existsSync(`${file}.partial.json`)) killing.abort()
      return await next(call)
    }
    const argv = ['export', '--out', file, '--with-passwords', '--stage', 'dev']
    const killed = await run(argv, await stageOf(old, killer), killing.signal)
    expect([killed.wasKilled, existsSync(file)]).toEqual([true, false])
    const second = await run(argv, await stageOf(old))
    expect([second.code, existsSync(`${file}.partial.json`)]).toEqual([0, false])
    const [whole, open] = [join(folder, 'whole.jsonl'), join(folder, 'without-passwords.jsonl')]
    await operatorOn(old).json(['export', '--out', whole, '--with-passwords'])
    await operatorOn(old).json(['export', '--out', open])
    const lines = linesOf(gunzipSync(await readFile(file)).toString('utf8'))
    expect(lines).toEqual(linesOf(await readFile(whole, 'utf8')))
    expect(lines.filter(line => line.includes('"password_hash"')).length).toBeGreaterThan(0)
    expect(await readFile(open, 'utf8')).not.toContain('password_hash')
    expect(lines.filter(line => /sealed|whsec_|builder/.test(line))).toEqual([])
  })

  it('give a fresh service the same answers with the same totals, and nothing for the doctor', async () => {
    const to = operatorOn(fresh)
    const file = join(folder, 'site.jsonl.gz')
    const dry = await to.json(['import', file, '--dry-run'])
    const stage = await stageOf(fresh)
    const made = JSON.parse((await run(['import', file, '--json', '--stage', 'dev'], stage)).out)
    expect(made.counts).toEqual(dry.counts)
    expect(made.records.filter(({ outcome }: { outcome: string }) => outcome !== 'made')).toEqual([
      expect.objectContaining({ kind: 'user', id: 1, reason: 'There is an account with this address.' }),
    ])
    const [before, after] = [await answersOf(old), await answersOf(fresh)]
    expect([...after.keys()]).toEqual([...before.keys()])
    for (const [path, answer] of before) expect(after.get(path), path).toEqual(answer)
    expect((await to.run(['doctor'])).out).toContain('Nothing is wrong.')
  })

  it('keep the passwords of an export with --with-passwords', async () => {
    const { status } = await fresh.call(auth.login, { body: { email: reader, password: PASSWORD } })
    expect(status).toBe(200)
  })
})
