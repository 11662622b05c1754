// Checks the shape of a slice: the names of its files, and which of them may read or write the table.
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Source, sources } from './sources.ts'

/** A slice is a room of shared/ with a contract. */
const SLICES = sources.flatMap(({ path }) => /^shared\/(\w+)\/contract\.ts$/.exec(path)?.[1] ?? [])

/** The files of rules that are not named by the singular of their room. */
const RULES: Record<string, string> = {
  accounts: 'user',
  contact: 'submission',
  newsletter: 'subscriber',
  site: 'settings',
}

/** Files or folders that read the table, write it, order mails, or answer requests with all of that. */
const IMPURE = ['store', 'commands', 'mails', 'handlers']
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

const files = SLICES.flatMap(filesOf)

function importing(pattern: RegExp, parts: (part: string) => boolean): string[] {
  return files
    .filter(({ path, imports }) => parts(partOf(path)) && imports.some(imported => pattern.test(imported)))
    .map(({ path }) => path)
}

describe.each(SLICES)('the slice %s', slice => {
  const paths = filesOf(slice).map(({ path }) => path)
  const rules = RULES[slice] ?? slice.replace(/ies$/, 'y').replace(/s$/, '')

  it('has a file of rules', () => {
    const advice = `Write the rules of a record of ${slice} in ${rules}.ts, pure, or name their file in RULES.`
    expect(paths.map(partOf), advice).toContain(rules)
  })

  it('has folders only for the parts of a slice', () => {
    const folders = paths.filter(path => path.split('/').length > 3).map(partOf)
    const allowed = [...IMPURE, ...PURE, rules]
    expect(
      folders.filter(folder => !allowed.includes(folder)),
      'Only a part of a slice becomes a folder. Further rules, which are pure, are files with names of their own.',
    ).toEqual([])
  })

  it('has no file and folder of the same name', () => {
    const folders = new Set(paths.filter(path => path.split('/').length > 3).map(partOf))
    const alsoFiles = paths.filter(path => path.split('/').length === 3 && folders.has(partOf(path)))
    expect(alsoFiles, 'Move the file into the folder, under the name of what it holds.').toEqual([])
  })
})

describe('the slices', () => {
  it('are found, and RULES names no others', () => {
    expect(SLICES).toContain('tickets')
    expect(Object.keys(RULES).filter(slice => !SLICES.includes(slice))).toEqual([])
  })
})

describe('the files of all slices', () => {
  it('are pure, except those of store, commands, mails and handlers', () => {
    const impure = importing(EFFECTS, part => !IMPURE.includes(part))
    const advice = `Take the data as an argument, or move the function to store or commands. A file of another name may hold
      further rules, as webhooks/secret.ts does, because a pure file can neither read nor write past the others.`
    expect(impure, advice).toEqual([])
  })

  it('do not write in the store', () => {
    const writing = importing(WRITES, part => part === 'store')
    expect(writing, 'Move the function that writes to commands.').toEqual([])
  })

  it('call no method that writes the table, except in commands', () => {
    const calls = /\b(?:table|work)\.(?:transact|write|commit|removeMany)\(|\bwriteWithLists\(/
    const writing = files.filter(({ path, text }) => partOf(path) !== 'commands' && calls.test(text))
    expect(
      writing.map(({ path }) => path),
      'Move the call to commands.',
    ).toEqual([])
  })
})
