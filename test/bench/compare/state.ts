// The state folder of a generated site, made by the import of a checkout's own `npm start`, and cached.
import { constants, createWriteStream, existsSync, mkdirSync } from 'node:fs'
import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod/mini'
import { FORMAT, FORMAT_VERSION } from '../../../infra/operator/import-export/format.ts'
import { AUTHORS, CATEGORIES, type Site } from '../site.ts'
import { BENCH_FOLDER, type Checkout } from './checkout.ts'
import { startService } from './service.ts'

const AT = '2025-01-01T00:00:00Z'
const SITES = join(BENCH_FOLDER, 'sites')
const Made = z.object({ seconds: z.number() })

/** Returns the folder, and how long the import took when it was made. */
export async function siteOf(checkout: Checkout, site: Site, log: (line: string) => void) {
  const folder = join(SITES, `${site.count}-${site.seed}-${checkout.sources}`)
  const made = `${folder}.json`
  if (!existsSync(made)) {
    await rm(folder, { recursive: true, force: true })
    log(`Importing ${site.count} posts into ${folder} …`)
    const service = await startService(checkout, folder, ['--import', await exportOf(site)])
    await service.stop()
    await writeFile(made, JSON.stringify({ seconds: service.readyAfterS }))
  }
  return { folder, importedAfterS: Made.parse(JSON.parse(await readFile(made, 'utf8'))).seconds }
}

/** A copy for one run, so that what it changes does not stay in the cached site. */
export async function copyOf(folder: string, name: string): Promise<string> {
  const copy = `${folder}+${name}`
  await rm(copy, { recursive: true, force: true })
  // Where the file system can, a copy shares its blocks with the original.
  await cp(folder, copy, { recursive: true, mode: constants.COPYFILE_FICLONE })
  return copy
}

async function exportOf(site: Site): Promise<string> {
  const file = join(SITES, `${site.count}-${site.seed}.jsonl`)
  if (existsSync(file)) return file
  mkdirSync(SITES, { recursive: true })
  await pipeline(Readable.from(linesOf(site)), createWriteStream(`${file}+`))
  await rename(`${file}+`, file)
  return file
}

function* linesOf(site: Site): Generator<string> {
  let records = 0
  for (const record of recordsOf(site)) {
    records++
    yield `${JSON.stringify(record)}\n`
  }
  yield `${JSON.stringify({ type: 'end', records: records - 1 })}\n`
}

function* recordsOf(site: Site): Generator<object> {
  const header = { type: 'header', format: FORMAT, version: FORMAT_VERSION, service: '1.0.0', site: 'bench' }
  yield { ...header, exported_at: AT, last_ids: {} }
  for (let id = 1; id <= CATEGORIES; id++) {
    yield { type: 'category', id, name: `Category ${id}`, slug: `category-${id}`, description: '' }
  }
  for (let id = 1; id <= AUTHORS; id++) {
    const user = { type: 'user', id, name: `Author ${id}`, email: `author-${id}@example.com` }
    yield { ...user, email_verified: true, avatar: null, bio: null, ban: null, created_at: AT }
  }
  for (let id = 1; id <= site.count; id++) {
    const { author, input } = site.post(id)
    const posted_at = new Date(input.posted_at * 1000).toISOString()
    yield { type: 'post', id, ...input, author_id: author + 1, posted_at, created_at: AT, updated_at: AT }
  }
}
