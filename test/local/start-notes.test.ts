// The notes of `npm start` about other machines that can reach the service or its database.
import { describe, expect, it } from 'vitest'
import { databaseNote, hostsNote } from '../../infra/local/start-notes.ts'

function noteOf(...hosts: string[]) {
  return hostsNote(hosts, 'http://127.0.0.1:3000')
}

const ON_ALL = 'The service listens on all addresses of this machine'
const TRUST = 'use this only in networks that you trust.\n'

describe('the note about other machines', () => {
  it('says nothing if only this machine can reach the service', () => {
    expect([noteOf(), noteOf('localhost'), noteOf('127.0.0.1')]).toEqual(['', '', ''])
  })

  it('explains that the service listens on all addresses for a name, and how to change that', () => {
    expect(noteOf('build.internal')).toBe(
      `${ON_ALL}, because a name does not say which one. Add --host ADDRESS to choose one.\n` +
        `Other machines can reach it at http://build.internal:3000: ${TRUST}`,
    )
  })

  it.each(['0.0.0.0', '::'])('says that it listens on all addresses with %s', all => {
    expect(noteOf(all)).toContain(`${ON_ALL}.\n`)
    expect(noteOf(all, 'build.internal')).toContain(`${ON_ALL}.\n`)
  })

  it('lists the URLs of an address and of a name', () => {
    expect(noteOf('172.17.0.1', 'build.internal')).toBe(
      `Other machines can reach it at http://172.17.0.1:3000, http://build.internal:3000: ${TRUST}`,
    )
  })
})

describe('the note about the database', () => {
  it('warns in one line if other machines can reach its port', () => {
    expect(databaseNote(true)).toMatch(/^Warning: .* other users and machines in its network can .*\n$/)
  })

  it('says nothing if only this machine can reach it', () => {
    expect(databaseNote(false)).toBe('')
  })
})
