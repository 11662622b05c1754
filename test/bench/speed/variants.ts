// Variants of a cached site with more categories and scheduled posts, which requests create on a copy of it.
// They are cached as well.
import { constants, existsSync } from 'node:fs'
import { cp, rm, writeFile } from 'node:fs/promises'
import { mapConcurrently } from '../../../shared/table/concurrency.ts'
import { CATEGORIES, SCHEDULED } from '../site.ts'
import { publish, type Side, send, withService } from './side.ts'
import { openTexts } from './texts.ts'

export type Variant = { categories: number; scheduled: number }

export const PLAIN: Variant = { categories: CATEGORIES, scheduled: SCHEDULED }
const FAR_AHEAD = Date.parse('2098-01-01T00:00:00Z')
const CLIENTS = 4
const MADE = '.made'
const DESCRIPTION = 'What belongs to this category, in some words. '.repeat(20)

export function nameOf({ categories, scheduled }: Variant): string {
  return `${categories.toLocaleString('en')} categories, ${scheduled.toLocaleString('en')} scheduled posts`
}

/** Returns the folders of the variants, in their order. Each has at least as much as the one before it. */
export async function makeVariants(side: Side, base: string, variants: Variant[]): Promise<string[]> {
  const folders: string[] = []
  let before = { folder: base, variant: PLAIN }
  for (const variant of variants) {
    const folder = `${base}+${variant.categories}+${variant.scheduled}`
    if (!existsSync(folder + MADE)) {
      await copyFolder(before.folder, folder)
      await withService(side, { folder, isCounted: false }, () => grow(side, before.variant, variant))
      await writeFile(folder + MADE, '')
    }
    folders.push(folder)
    before = { folder, variant }
  }
  return folders
}

async function grow(side: Side, from: Variant, to: Variant): Promise<void> {
  await mapConcurrently(numbers(from.categories, to.categories), CLIENTS, async n => {
    const body = { name: `Another category ${n}`, slug: `another-${n}`, description: DESCRIPTION }
    await send(side, 'POST', 'admin/categories', { body })
  })
  const textOf = openTexts()
  await mapConcurrently(numbers(from.scheduled, to.scheduled), CLIENTS, async n => {
    await publish(side, { ...textOf(), posted_at: new Date(FAR_AHEAD + n * 60_000).toISOString() })
  })
  await side.host.quiet({ isIndexed: false })
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n)
}

/** Runs on a copy of the folder, so that measured changes do not stay in the cached site. */
export async function withCopy<T>(folder: string, run: (copy: string) => Promise<T>): Promise<T> {
  const copy = `${folder}+copy`
  await copyFolder(folder, copy)
  try {
    return await run(copy)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  // Where the file system can, a copy shares its blocks with the original.
  await cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE })
}
