// Who else can reach a local service, in the words of its start.
import { describe, expect, it } from 'vitest'
import { databaseNote, hostsNote } from '../../infra/local/start-notes.ts'

function noteOf(...given: string[]) {
  return hostsNote(given, 'http://127.0.0.1:3000')
}

const ON_ALL = 'It listens on all addresses of this machine'
const TRUST = 'only in networks that you trust.\n'

describe('the note about other machines', () => {
  it('is missing while only this machine reaches the service', () => {
    expect([noteOf(), noteOf('localhost'), noteOf('127.0.0.1')]).toEqual(['', '', ''])
  })

  it('says that a name alone makes it listen on all addresses, and how to change that', () => {
    expect(noteOf('build.internal')).toBe(
      `${ON_ALL}, since a name does not say on which: add --host ADDRESS for that one alone.\n` +
        `Others reach it, too, at http://build.internal:3000: ${TRUST}`,
    )
  })

  it.each(['0.0.0.0', '::'])('says that it listens on all addresses with %s', all => {
    expect(noteOf(all)).toContain(`${ON_ALL}.\n`)
    expect(noteOf(all, 'build.internal')).toContain(`${ON_ALL}.\n`)
  })

  it('names the one address that is given, and the names that lead to it', () => {
    expect(noteOf('172.17.0.1', 'build.internal')).toBe(
      `Others reach it, too, at http://172.17.0.1:3000, http://build.internal:3000: ${TRUST}`,
    )
  })
})

describe('the note about the database', () => {
  it('warns in one line of everybody who can reach its port', () => {
    expect(databaseNote('machine')).toMatch(/^Warning: Other users of this machine can read and write .*\n$/)
    expect(databaseNote('network')).toMatch(
      /^Warning: Other users .*, and other machines in its network, can .*\n$/,
    )
  })

  it('is missing where the service alone can, or where the database was there before', () => {
    expect([databaseNote('service'), databaseNote(undefined)]).toEqual(['', ''])
  })
})
