// Hostile arrays: members are counted before they are validated, whatever their number and depth, so that
// they take the time of a few plain posts.
import { describe, expect, it } from 'vitest'
import { endpointOf } from '../support/endpoints.ts'
import { openFullChain } from '../support/full-chain.ts'
import { use } from '../support/use.ts'
import { fullBodyOf, WITH_BODY, withAt } from '../support/valid-bodies.ts'
import { cheapRequests, membersWhose } from './cheap-requests.ts'

const MILLION = 1_000_000
const LARGEST_ANSWER_BYTES = 1_000_000

const chain = use(openFullChain)
const { expectCheap } = cheapRequests(chain)

/** The body as JSON, with `members` in place of the text `HERE`. */
function bodyWith(body: unknown, members: string): string {
  return JSON.stringify(body).replace('"HERE"', () => members)
}

function repeated(member: string, times: number): string {
  return `[${`${member},`.repeat(times - 1)}${member}]`
}

describe.each(membersWhose(Array.isArray))('$name $member', ({ endpoint, path, member }) => {
  const body = withAt(fullBodyOf(endpoint), path, 'HERE')

  it.each([
    ['numbers', repeated('0', MILLION)],
    ['arrays', repeated('[]', MILLION / 2)],
    ['objects', repeated('{}', MILLION / 2)],
  ])('returns 422 in the time of a few plain posts for as many wrong %s as fit into a body', (_, members) =>
    expectCheap(async () => {
      const { status, fields, text, cpuMs } = await chain.send(endpoint, { body: bodyWith(body, members) })
      expect([status, fields.filter(field => field.startsWith(path[0] ?? ''))]).toEqual([
        422,
        [expect.any(String)],
      ])
      expect([member, ...fields].some(field => member.startsWith(field))).toBe(true)
      expect(text.length).toBeLessThan(LARGEST_ANSWER_BYTES)
      return cpuMs
    }),
  )
})

describe('PUT /api/v1/admin/menus/{location}', () => {
  const putMenu = endpointOf('PUT /api/v1/admin/menus/{location}')
  const within = (children: string): string => `{"children":${children}}`
  const wide = repeated(within(repeated(within(repeated('0', 90)), 90)), 90)
  const deep = `${'[{"children":'.repeat(130_000)}[]${'}]'.repeat(130_000)}`

  it.each([
    ['a tree of 730,000 wrong items, few per level', wide],
    ['a tree of 130,000 levels', deep],
  ])('returns 422 in the time of a few plain posts for %s', (_, items) =>
    expectCheap(async () => {
      const { status, fields, cpuMs } = await chain.send(putMenu, { body: `{"items":${items}}` })
      expect([status, fields]).toEqual([422, ['items']])
      return cpuMs
    }),
  )
})

describe.each(WITH_BODY)('$name', ({ endpoint }) => {
  it('answers in the time of a few plain posts for a body of 200,000 unknown members', () => {
    const members = Array.from({ length: 200_000 }, (_, n) => `"${n.toString(36)}":0`)
    return expectCheap(async () => {
      const { status, text, cpuMs } = await chain.send(endpoint, { body: `{${members.join(',')}}` })
      expect([200, 201, 422]).toContain(status)
      expect(text.length).toBeLessThan(LARGEST_ANSWER_BYTES)
      return cpuMs
    })
  })
})
