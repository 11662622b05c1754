// What a second import of a changed source does: without --update, with it, and with events.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { diagnose } from '../../infra/operator/doctor/doctor.ts'
import { exportedRecord } from '../../infra/operator/import-export/export/records.ts'
import { importSource } from '../../infra/operator/import-export/import/import.ts'
import type { ImportOptions } from '../../infra/operator/import-export/import/job.ts'
import { openSource, type SourceOptions } from '../../infra/operator/import-export/sources/source.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { deletePost } from '../../shared/posts/commands/change.ts'
import { findPostWithBody } from '../../shared/posts/store/bodies.ts'
import { newTable } from '../support/new-table.ts'
import type { TableWorld } from '../support/table.ts'
import { unitOfWorkOn, wantEveryEvent } from '../support/work.ts'
import { folderOf, sample } from './read.ts'
import { smallExport, writeExport } from './small-export.ts'
import { contextOn } from './table-context.ts'

const NONE: ImportOptions = { dryRun: false, update: false, events: 'none', author: undefined }

let world: TableWorld
let folder: string
beforeAll(async () => {
  world = await newTable()
  folder = await mkdtemp(join(tmpdir(), 'update-'))
})
beforeEach(async () => {
  await world.table.removeMany((await world.dump()).map(({ pk, sk }) => ({ pk, sk })))
})
afterAll(async () => {
  await world.stop()
  await rm(folder, { recursive: true })
})

type Lines = Record<string, unknown>[]

async function run(lines: unknown[], options: Partial<ImportOptions> = {}) {
  const file = join(folder, 'small.jsonl')
  await writeExport(file, lines)
  const context = contextOn(world)
  context.target.privateKey = async () => 'a private key'
  const report = await importSource(context, await openSource([file], { nowSeconds: 1_780_000_000 }), {
    ...NONE,
    ...options,
  })
  const events = context.sent.flatMap(({ body }) => ('event' in body ? [body.event] : []))
  return { report, events, changed: changedOf(report.lines) }
}

function changedOf(lines: { outcome: string; label: string; reason?: string | undefined }[]): string[] {
  const changed = lines.filter(({ outcome }) => outcome === 'made' || outcome === 'updated')
  return changed.map(({ outcome, label }) => `${outcome} ${label}`)
}

/** The same site a day later: a post and a category have changed, and there is a new post. */
function changedExport(): Lines {
  const lines = JSON.parse(JSON.stringify(smallExport(3))) as Lines
  const find = (type: string, id: number) => lines.find(line => line.type === type && line.id === id)
  Object.assign(find('post', 1) ?? {}, { title: 'Changed', body: '<p>Changed words.</p>' })
  Object.assign(find('category', 2) ?? {}, { name: 'Renamed' })
  Object.assign(find('user', 1) ?? {}, { name: 'Ada L.', email: 'ada@example.com' })
  const added = { ...find('post', 2), id: 9, slug: 'post-9', title: 'Added' }
  lines.splice(lines.indexOf(find('comment', 1) ?? {}), 0, added)
  return lines
}

async function problems() {
  return (await diagnose(contextOn(world), false)).problems
}

describe('an import of a changed source', () => {
  it('makes what is new, and without --update changes nothing else', async () => {
    await run(smallExport(3))
    expect((await run(changedExport())).changed).toEqual(['made post-9'])
    expect((await findPostWithBody(world.table, 1))?.post.title).toBe('Post 1')
    expect(await problems()).toEqual([])
  })

  it('with --update also overwrites what has changed, once', async () => {
    await run(smallExport(3))
    const { changed } = await run(changedExport(), { update: true })
    expect(changed.sort()).toEqual([
      'made post-9',
      'updated ada@example.com',
      'updated post-1',
      'updated two',
    ])
    expect(await findPostWithBody(world.table, 1)).toMatchObject({
      post: { title: 'Changed', slug: 'post-1', version: 4 },
      body: '<p>Changed words.</p>',
    })
    expect((await run(changedExport(), { update: true })).changed).toEqual([])
    expect(await problems()).toEqual([])
  })

  it('leaves out a post that was deleted here, also with --update', async () => {
    await run(smallExport(3))
    await deletePost(unitOfWorkOn(world.table, Date.now()), { id: 1, requireMatch: () => undefined })
    const { report } = await run(changedExport(), { update: true })
    const line = report.lines.find(({ label }) => label === 'post-1')
    expect(line).toMatchObject({ outcome: 'skipped', reason: 'Was deleted here.' })
    expect(await findPostWithBody(world.table, 1)).toBeUndefined()
  })

  it('writes nothing in a dry run', async () => {
    const { changed } = await run(smallExport(3), { dryRun: true })
    expect(changed).toContain('made post-1')
    expect(await world.dump()).toEqual([])
  })
})

describe('records with the id of an earlier one', () => {
  async function linesOf(files: Record<string, string>, options: Partial<SourceOptions> = {}) {
    const source = await openSource([join(await folderOf(files), Object.keys(files)[0] ?? '')], {
      nowSeconds: 1_780_000_000,
      ...options,
    })
    const { lines } = await importSource(contextOn(world), source, { ...NONE, createAuthor: async () => 1 })
    return lines.map(({ outcome, label, reason = '' }) => `${outcome} ${label} ${reason}`.trim()).sort()
  }
  const TWICE = 'Its id is that of an earlier record of the source.'

  it('of WordPress are skipped, and all others come in', async () => {
    const file = sample('field/dup.xml')
    const source = await openSource([file], { nowSeconds: 1_780_000_000 })
    const { lines } = await importSource(contextOn(world), source, { ...NONE, createAuthor: async () => 1 })
    expect(lines.filter(({ reason }) => reason === TWICE)).toHaveLength(1)
    expect(lines.filter(({ outcome }) => outcome === 'made').length).toBeGreaterThan(0)
    expect(await problems()).toEqual([])
  })

  it('of the own format, of Ghost and of a table are skipped, and empty ids are not equal', async () => {
    const own = smallExport(1).flatMap(line => (Object(line).type === 'post' ? [line, line] : [line]))
    const text = own.map(line => `${JSON.stringify(line)}\n`).join('')
    expect((await linesOf({ 'a.jsonl': text })).filter(line => line.endsWith(TWICE))).toHaveLength(3)
    const tag = (id: string, slug: string) => ({ id, name: slug, slug })
    const ghost = JSON.stringify({
      data: { posts: [], tags: [tag('t', 'first'), tag('t', 'second'), tag('', 'third'), tag('', 'fourth')] },
    })
    expect(await linesOf({ 'a.json': ghost })).toEqual([
      'made first',
      'made fourth',
      'made third',
      `skipped second ${TWICE}`,
    ])
    const table = 'email\na@example.com\nA@example.com\n'
    expect(await linesOf({ 'a.csv': table }, { format: 'csv', confirmed: true })).toEqual([
      'made a@example.com',
      expect.stringContaining(TWICE),
    ])
  })
})

describe('an import into a service that has too much to do', () => {
  it('asks again, and ends whole', async () => {
    const context = contextOn(world)
    let refused = 0
    const { table } = context.target
    const transact: typeof table.transact = async (...args) => {
      refused++
      if (refused % 10 === 1) throw new ApiError('UNAVAILABLE', 'Try again.')
      await table.transact(...args)
    }
    const file = join(folder, 'small.jsonl')
    await writeExport(file, smallExport(3))
    const busy = { ...context, target: { ...context.target, table: { ...table, transact } } }
    const report = await importSource(busy, await openSource([file], { nowSeconds: 1_780_000_000 }), NONE)
    expect(new Set(report.lines.map(({ outcome }) => outcome))).toEqual(new Set(['made']))
    expect(refused).toBeGreaterThan(10)
    expect(await problems()).toEqual([])
  })
})

describe('the events of an import', () => {
  it('are none by default', async () => {
    expect((await run(smallExport(3))).events).toEqual([])
  })

  it('are those of new records with --events all', async () => {
    await wantEveryEvent(world.table)
    const { events } = await run(smallExport(3), { events: 'all' })
    expect(events.sort()).toEqual([
      'comment.created',
      'comment.created',
      'contact.submitted',
      'newsletter.subscribed',
      'page.published',
      'post.published',
      'post.published',
      'post.published',
      'ticket.created',
    ])
    expect((await run(smallExport(3), { events: 'all' })).events).toEqual([])
  })
})

describe('ids', () => {
  it('that records had before are not given again, and references follow the new ids', async () => {
    await run(smallExport(3))
    const other = smallExport(3).map((line, n) =>
      n === 0
        ? { ...Object(line), site: 'other' }
        : JSON.parse(JSON.stringify(line).replaceAll('post-', 'other-').replaceAll('@', '.other@')),
    )
    const { report } = await run(other)
    const made = report.lines.filter(({ outcome, kind }) => outcome === 'made' && kind === 'post')
    expect(made.map(({ id = 0, label }) => [id, label]).sort(([a], [b]) => Number(a) - Number(b))).toEqual([
      [6, 'other-1'],
      [7, 'other-2'],
      [8, 'other-3'],
      [10, 'other-5'],
    ])
    expect(report.lines.filter(({ kind }) => kind === 'comment').map(({ outcome }) => outcome)).toEqual([
      'made',
      'made',
    ])
    expect(await problems()).toEqual([])
  })

  it('that are larger than any are not kept', async () => {
    const [header] = smallExport(0)
    const category = { type: 'category', id: 20_000_000, name: 'Far', slug: 'far', description: '' }
    const { report } = await run([header, category, { type: 'end', records: 1 }])
    expect(report.lines).toMatchObject([{ outcome: 'made', id: 1, label: 'far' }])
  })
})

describe('the headers of a subscription', () => {
  it('have their names in an export and no values, and the report of an import names them', async () => {
    const stored = {
      ...{
        type: 'webhook',
        id: 1,
        owner_id: 1,
        name: 'Hook',
        url: 'https://example.com/hook',
        events: ['*'],
      },
      ...{ is_active: true, created_at: 1_714_557_600, headers: ['X-Token'], sealed_headers: '1.sealed' },
    }
    const line = exportedRecord('webhook', stored)
    expect(line).toMatchObject({ headers: ['X-Token'] })
    expect(JSON.stringify(line)).not.toContain('sealed')
    const { report } = await run(smallExport(1).toSpliced(-1, 0, line))
    expect(report.lines.find(({ kind }) => kind === 'webhook')).toMatchObject({
      outcome: 'made',
      reason: 'Set its headers again: X-Token.',
    })
  })
})
