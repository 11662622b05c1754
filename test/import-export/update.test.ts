// What a second import of a changed source does: without --update, with it, and with events.
import { writeFile } from 'node:fs/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { diagnose } from '../../infra/operator/doctor/doctor.ts'
import { exportAll } from '../../infra/operator/import-export/export/export.ts'
import { exportedRecord } from '../../infra/operator/import-export/format.ts'
import { importSource } from '../../infra/operator/import-export/import/import.ts'
import type { ImportOptions } from '../../infra/operator/import-export/import/job.ts'
import { openSource, type SourceOptions } from '../../infra/operator/import-export/sources/source.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { deletePost, updatePost } from '../../shared/posts/commands/change.ts'
import { findPostWithBody } from '../../shared/posts/store/bodies.ts'
import { kindOf } from '../../shared/table/design.ts'
import { useTable } from '../support/new-table.ts'
import { unitOfWorkOn, wantEveryEvent } from '../support/work.ts'
import { folderOf, NOW_SECONDS, sample } from './read.ts'
import { type Line, lineOf, smallExport, textOf } from './small-export.ts'
import { contextOn, empty } from './table-context.ts'

const world = useTable()
beforeEach(() => empty(world))

/** Imports a file, or these lines of an export. */
async function run(
  source: string | Line[],
  options: Partial<ImportOptions & SourceOptions> = {},
  context = contextOn(world),
) {
  const file =
    typeof source === 'string' ? source : `${await folderOf({ 'a.jsonl': textOf(source) })}/a.jsonl`
  const opened = await openSource([file], { nowSeconds: NOW_SECONDS, ...options })
  const { lines } = await importSource(context, opened, { createAuthor: async () => 1, ...options })
  const changed = lines.filter(({ outcome }) => outcome === 'made' || outcome === 'updated')
  return {
    lines,
    changed: changed.map(({ outcome, label }) => `${outcome} ${label}`),
    events: context.sent.flatMap(({ body }) => ('event' in body ? [body.event] : [])),
  }
}

/** The same site a day later: a post and a category have changed, and there is a new post. */
function changedExport(): Line[] {
  const lines = smallExport(3).map(line => ({ ...line }))
  Object.assign(lineOf(lines, 'post', 1), { title: 'Changed', body: '<p>Changed words.</p>' })
  Object.assign(lineOf(lines, 'category', 2), { name: 'Renamed' })
  Object.assign(lineOf(lines, 'user'), { name: 'Ada L.' })
  const added = { ...lineOf(lines, 'post', 2), id: 9, slug: 'post-9', title: 'Added' }
  return lines.toSpliced(lines.indexOf(lineOf(lines, 'comment')), 0, added)
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

  it('with --update gives a slug that an update freed to a new post, in one run', async () => {
    await run(smallExport(3))
    const lines = changedExport()
    Object.assign(lineOf(lines, 'post', 1), { slug: 'moved' })
    Object.assign(lineOf(lines, 'post', 9), { slug: 'post-1' })
    expect((await run(lines, { update: true })).changed).toContain('made post-1')
    expect((await run(lines, { update: true })).changed).toEqual([])
  })

  it('with --update knows records whose own update was refused: categories and posts that others name', async () => {
    await run(smallExport(3))
    const lines = smallExport(3).map(line => ({ ...line }))
    const [first, second] = lines.filter(({ type }) => type === 'category')
    const [comment, post] = [lineOf(lines, 'comment'), lineOf(lines, 'post', 2)]
    Object.assign(second ?? {}, { slug: first?.slug })
    Object.assign(lineOf(lines, 'post', 1), { slug: 'post-2' })
    Object.assign(post, { title: 'Changed' })
    const categories = (await findPostWithBody(world.table, 2))?.post.category_ids
    const added = { ...comment, id: 99, post_id: 1, parent_id: null }
    const { changed } = await run(lines.toSpliced(lines.indexOf(comment) + 1, 0, added), { update: true })
    expect(changed).toEqual(['updated post-2', expect.stringMatching(/^made /)])
    expect((await findPostWithBody(world.table, 2))?.post.category_ids).toEqual(categories)
  })

  it('with --update notes what of a changed record did not fit', async () => {
    const post = (line: string) => `---\ntitle: A\ndate: 2021-01-01\n${line}\n---\nx`
    const folder = await folderOf({ 'posts/a.md': post('x: 1') })
    // The account is the author.
    await run(smallExport(1))
    await run(folder)
    await writeFile(`${folder}/posts/a.md`, post('status: review'))
    expect((await run(folder, { update: true })).lines).toMatchObject([
      { outcome: 'updated', label: 'a', reason: 'Its status is review, so it is a draft.' },
    ])
  })

  it('skips the second of two subscribers of one address, and names a category once', async () => {
    const lines = smallExport(1)
    const subscriber = lineOf(lines, 'subscriber')
    Object.assign(lineOf(lines, 'post', 1), { category_ids: [1, 1] })
    const added = ['Twice@example.com', 'twice@example.com'].map((email, n) => {
      return { ...subscriber, id: 70 + n, email }
    })
    const { lines: report } = await run(lines.toSpliced(lines.indexOf(subscriber), 0, ...added))
    const [label, reason] = [expect.stringMatching(/twice/i), 'This address has a subscription.']
    const others = report.filter(({ outcome }) => outcome !== 'made')
    expect(others).toMatchObject([{ outcome: 'skipped', label, reason }])
    expect((await findPostWithBody(world.table, 1))?.post.category_ids).toEqual([1])
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
    const { lines } = await run(changedExport(), { update: true })
    const line = lines.find(({ label }) => label === 'post-1')
    expect(line).toMatchObject({ outcome: 'skipped', reason: 'Was deleted here.' })
    expect(await findPostWithBody(world.table, 1)).toBeUndefined()
  })

  it('writes nothing in a dry run', async () => {
    const { changed } = await run(smallExport(3), { dryRun: true })
    expect(changed).toContain('made post-1')
    expect(await world.dump()).toEqual([])
  })
})

describe('a second import, or one of the own export,', () => {
  it('changes nothing, and with --update restores what the export has', async () => {
    await run(smallExport(3))
    const file = `${await folderOf({})}/own.jsonl`
    await exportAll(contextOn(world), { out: file, withPasswords: false })
    const before = await world.dump()
    const [again, own] = [await run(smallExport(3)), await run(file)]
    expect(new Set(again.lines.map(({ reason }) => reason))).toEqual(new Set(['Was imported before.']))
    expect(new Set(own.lines.map(({ reason }) => reason))).toEqual(new Set(['Is here already.']))
    expect(await world.dump()).toEqual(before)
    const ref = { id: 1, requireMatch: () => undefined }
    await updatePost(unitOfWorkOn(world.table, Date.now()), ref, { title: 'Changed here' })
    expect((await run(file, { update: true })).changed).toContain('updated post-1')
    expect((await findPostWithBody(world.table, 1))?.post.title).toBe('Post 1')
    expect(await problems()).toEqual([])
  })
})

describe('records with the id of an earlier one', () => {
  const TWICE = 'Its id is that of an earlier record of the source.'
  const twice = ({ lines }: Awaited<ReturnType<typeof run>>) =>
    lines.filter(({ reason }) => reason === TWICE).map(({ label }) => label)

  it('of WordPress are skipped, and all others come in', async () => {
    const result = await run(sample('field/dup.xml'))
    expect(twice(result)).toHaveLength(1)
    expect(result.changed.length).toBeGreaterThan(0)
    expect(await problems()).toEqual([])
  })

  it('of the own format, of Ghost and of a table are skipped, and empty ids are not equal', async () => {
    const own = smallExport(1).flatMap(line => (line.type === 'post' ? [line, line] : [line]))
    expect(twice(await run(own))).toHaveLength(3)
    const tag = (id: string, slug: string) => ({ id, name: slug, slug })
    const tags = [tag('t', 'first'), tag('t', 'second'), tag('', 'third'), tag('', 'fourth')]
    const folder = await folderOf({
      'a.json': JSON.stringify({ data: { posts: [], tags } }),
      'a.csv': 'email\na@example.com\nA@example.com\n',
    })
    const ghost = await run(`${folder}/a.json`)
    expect(twice(ghost)).toEqual(['second'])
    expect(ghost.changed.sort()).toEqual(['made first', 'made fourth', 'made third'])
    const table = await run(`${folder}/a.csv`, { format: 'csv', confirmed: true })
    expect([twice(table), table.changed]).toEqual([['A@example.com'], ['made a@example.com']])
  })
})

describe('posts', () => {
  it('are looked for by their slugs in one read, and of two with one slug one comes in', async () => {
    const context = contextOn(world)
    const { table } = context.target
    let reads = 0
    const findMany: typeof table.findMany = async (keys, options) => {
      if (keys.some(({ pk }) => kindOf(pk) === 'SLUG')) reads++
      return await table.findMany(keys, options)
    }
    const lines = smallExport(20)
    Object.assign(lineOf(lines, 'post', 2), { slug: 'post-1' })
    const report = await run(
      lines,
      {},
      { ...context, target: { ...context.target, table: { ...table, findMany } } },
    )
    expect(report.lines.flatMap(({ kind, reason }) => (kind === 'post' && reason ? [reason] : []))).toEqual([
      expect.stringMatching(/^Its slug is that of post [12]\.$/),
    ])
    // The second one looks for what it met.
    expect(reads).toBe(2)
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
    const busy = { ...context, target: { ...context.target, table: { ...table, transact } } }
    const { lines } = await run(smallExport(3), {}, busy)
    expect(new Set(lines.map(({ outcome }) => outcome))).toEqual(new Set(['made']))
    expect(refused).toBeGreaterThan(10)
    expect(await problems()).toEqual([])
  })
})

describe('the events of an import', () => {
  beforeEach(() => wantEveryEvent(world.table))

  it('are none by default', async () => {
    expect((await run(smallExport(3))).events).toEqual([])
  })

  it('are those of new records with --events all', async () => {
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
  it.each(['other', 'undefined'])('of the site %j are not given again, and references follow', async site => {
    await run(smallExport(3))
    const other = smallExport(3).map((line, n) =>
      n === 0
        ? { ...line, site }
        : JSON.parse(JSON.stringify(line).replaceAll('post-', 'other-').replaceAll('@', '.other@')),
    )
    const { lines } = await run(other)
    const made = lines.filter(({ outcome, kind }) => outcome === 'made' && kind === 'post')
    expect(made.map(({ id = 0, label }) => [id, label]).sort(([a], [b]) => Number(a) - Number(b))).toEqual([
      [6, 'other-1'],
      [7, 'other-2'],
      [8, 'other-3'],
      [10, 'other-5'],
    ])
    const comments = lines.filter(({ kind }) => kind === 'comment')
    expect(comments.map(({ outcome }) => outcome)).toEqual(['made', 'made'])
    expect(await problems()).toEqual([])
  })

  it('that are larger than any are not kept', async () => {
    const [header = {}, ...others] = smallExport(0)
    const far = { ...lineOf(others, 'category'), id: 20_000_000, name: 'Far', slug: 'far' }
    const { lines } = await run([header, far, { type: 'end', records: 1 }])
    expect(lines).toMatchObject([{ outcome: 'made', id: 1, label: 'far' }])
  })
})

describe('the headers of a subscription', () => {
  it('have their names in an export and no values, and the report of an import names them', async () => {
    const lines = smallExport(1)
    const webhook = lineOf(lines, 'webhook')
    const stored = { ...webhook, created_at: 1, headers: ['X-Token'], sealed_headers: '1.sealed' }
    const exported = exportedRecord('webhook', stored)
    expect(exported).toMatchObject({ headers: ['X-Token'] })
    expect(JSON.stringify(exported)).not.toContain('sealed')
    const { lines: report } = await run(lines.map(line => (line === webhook ? exported : line)))
    expect(report.find(({ kind }) => kind === 'webhook')).toMatchObject({
      outcome: 'made',
      reason: 'Set its headers again: X-Token.',
    })
  })
})

it('two imports of one file at the same time make each record once', async () => {
  const [one, other] = await Promise.all([run(smallExport(12)), run(smallExport(12))])
  expect(one.changed.length + other.changed.length).toBe(one.lines.length)
  expect((await run(smallExport(12))).changed).toEqual([])
  expect(await problems()).toEqual([])
})
