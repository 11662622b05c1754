// Checks the shape of a slice: the names of its files, and which of them may read or write the table.
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Source, sources } from './sources.ts'

/** Each slice with the file of its rules. */
const SLICES: Record<string, string> = {
  accounts: 'user',
  categories: 'category',
  comments: 'comment',
  contact: 'submission',
  newsletter: 'subscriber',
  posts: 'post',
  search: 'query',
  site: 'settings',
  tickets: 'ticket',
  webhooks: 'webhook',
}

/** Files or folders that read the table, write it, or order mails. */
const IMPURE = ['store', 'commands', 'mails']
const PURE = ['contract', 'fields', 'view', 'lists', 'events']

/** Imports that make a file impure, types included: a function that takes a `Table` reads or writes it. */
const EFFECTS =
  /^shared\/(?:table\/client\.ts$|events\/unit-of-work\.ts$|\w+\/(?:store|commands)(?:\.ts$|\/))/
/** Imports that a store may not have, because they write. */
const WRITES = /^shared\/(?:events\/unit-of-work\.ts$|\w+\/commands(?:\.ts$|\/))/

/** `store` of `shared/posts/store/posts.ts`, `view` of `shared/posts/view.ts`. */
function partOf(path: string): string {
  return posix.basename(path.split('/')[2] ?? '', '.ts')
}

function filesOf(slice: string): Source[] {
  return sources.filter(({ path }) => path.startsWith(`shared/${slice}/`))
}

const files = Object.keys(SLICES).flatMap(filesOf)

function importing(pattern: RegExp, parts: (part: string) => boolean): string[] {
  return files
    .filter(({ path, imports }) => parts(partOf(path)) && imports.some(each => pattern.test(each)))
    .map(({ path }) => path)
}

describe.each(Object.entries(SLICES))('the slice %s', (slice, singular) => {
  const paths = filesOf(slice).map(({ path }) => path)

  it('has a contract and a file of rules', () => {
    const contracts = paths.filter(path => partOf(path) === 'contract')
    expect(contracts).toHaveLength(1)
    expect(paths.map(partOf), `The rules of ${slice} are in ${singular}.ts.`).toContain(singular)
  })

  it('has folders only for the parts of a slice', () => {
    const folders = paths.filter(path => path.split('/').length > 3).map(partOf)
    const known = [...IMPURE, ...PURE, singular]
    expect(folders.filter(folder => !known.includes(folder))).toEqual([])
  })

  it('has no file and folder of the same name', () => {
    const folders = new Set(paths.filter(path => path.split('/').length > 3).map(partOf))
    const alsoFiles = paths.filter(path => path.split('/').length === 3 && folders.has(partOf(path)))
    expect(alsoFiles).toEqual([])
  })
})

describe('the files of all slices', () => {
  it('are pure, except those of store, commands and mails', () => {
    const impure = importing(EFFECTS, part => !IMPURE.includes(part))
    expect(impure, 'Take the data as an argument, or move the function to store or commands.').toEqual([])
  })

  it('do not write in the store', () => {
    const writing = importing(WRITES, part => part === 'store')
    expect(writing, 'Move the function that writes to commands.').toEqual([])
  })

  it('call no method that writes the table, except in commands', () => {
    const calls = /\b(?:table|work)\.(?:transact|write|commit|removeMany)\(|\bwriteWithLists\(/
    const writing = files.filter(({ path, text }) => partOf(path) !== 'commands' && calls.test(text))
    expect(writing.map(({ path }) => path)).toEqual([])
  })
})
