// Rules for every endpoint, derived from the contracts: 401, 403, 404 and 422.
import { beforeAll, describe, expect, it } from 'vitest'
import { auth } from '../../shared/accounts/contract.ts'
import { ABILITIES, type Ability } from '../../shared/http/audience.ts'
import { type Endpoint, isBodyOptional } from '../../shared/http/endpoint.ts'
import { ENDPOINTS, type RequestParts, sendTo, sequentially, validBodyOf } from '../support/endpoints.ts'
import { rawRequest } from '../support/raw.ts'
import { recordsOf } from '../support/records.ts'
import { useWorld } from '../support/world.ts'

const withToken = ENDPOINTS.filter(({ endpoint }) => endpoint.ability !== null)
const withAbility = withToken.filter(({ endpoint }) => endpoint.ability !== 'any')
const withId = ENDPOINTS.filter(({ endpoint }) => endpoint.path.includes('{id}'))
const withBody = ENDPOINTS.filter(({ endpoint }) => endpoint.body !== null)
const paginated = ENDPOINTS.filter(({ endpoint }) => endpoint.isPaginated)

const NOT_FOUND = { status: 404, code: 'NOT_FOUND' }
const INVALID = { status: 422, code: 'VALIDATION_ERROR' }

const world = useWorld()
const records = recordsOf(world)
let other: { id: number }
beforeAll(async () => {
  other = await world.create.user()
})

/** Sends the request for existing records, except for those in `params`. */
async function request(endpoint: Endpoint, { token = world.admin, params = {}, ...sent }: RequestParts = {}) {
  const existing = await records.paramsFor(endpoint)
  return sendTo(world.baseUrl)(endpoint, { token, params: { ...existing, ...params }, ...sent })
}

const tokens = new Map<string, Promise<string>>()
/** The owner's token with these abilities, shared by all endpoints. */
function tokenFor(abilities: Ability[]): Promise<string> {
  const token = tokens.get(abilities.join()) ?? world.create.token(world.owner.id, abilities)
  tokens.set(abilities.join(), token)
  return token
}

describe.each(withToken)('$name', ({ endpoint }) => {
  it('returns 401 for a missing, malformed, forged or revoked token, and for one with the id of another user', async () => {
    const forged = world.admin.replace(/.{43}$/, 'A'.repeat(43))
    const ofStranger = world.admin.replace(`_${world.owner.id}_`, `_${other.id}_`)
    const ofUnknownUser = world.admin.replace(`_${world.owner.id}_`, '_2_')
    const revoked = await world.create.token(world.owner.id, [...ABILITIES])
    await world.call(auth.logout, { token: revoked })
    const changed = [forged, ofStranger, ofUnknownUser, `${world.admin}x`, `${world.admin} x`]
    const invalid = ['', 'nonsense', revoked, ...changed]
    const answers = await sequentially(invalid, token => request(endpoint, { token }))
    for (const answer of answers) expect(answer).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
  })
})

describe.each(withAbility)('$name', ({ endpoint }) => {
  it('returns 403 for a token without the ability, whatever else it has', async () => {
    const others = ABILITIES.filter(ability => ability !== endpoint.ability)
    const answers = await sequentially([...others.map(other => [other]), [], others], async abilities =>
      request(endpoint, { token: await tokenFor(abilities) }),
    )
    for (const answer of answers) expect(answer).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  })
})

describe.each(withId)('$name', ({ endpoint }) => {
  const odd = ['0', '-1', '1.5', '01', 'abc', '%20', '%E9', '9'.repeat(30)]
  it.each(odd)('returns 404 for the id %s', async id => {
    expect(await request(endpoint, { params: { id }, body: '{}' })).toMatchObject(NOT_FOUND)
  })

  it('returns 404 for an unknown id', async () => {
    // The faults of an invalid body would be reported first.
    const body = validBodyOf(endpoint)
    expect(await request(endpoint, { params: { id: '999999' }, body })).toMatchObject(NOT_FOUND)
  })
})

/** PUT creates a menu at a new location. */
const withLocation = ENDPOINTS.filter(
  ({ endpoint }) => endpoint.path.includes('{location}') && endpoint.method !== 'PUT',
)

describe.each(withLocation)('$name', ({ endpoint }) => {
  const unknown = ['unknown', 'UNKNOWN', 'toString', '%', 'x'.repeat(51)]
  it.each(unknown)('returns 404 for the location %s', async location => {
    expect(await request(endpoint, { params: { location } })).toMatchObject(NOT_FOUND)
  })
})

describe.each(withBody)('$name', ({ endpoint }) => {
  const bodies = ['nonsense', '{', '[]', '"text"', 'null', '17', '{"a":}']
  const invalid = isBodyOptional(endpoint) ? bodies : ['', ...bodies]
  it.each(invalid)('returns 422 for the body %j', async body => {
    expect(await request(endpoint, { body })).toMatchObject(INVALID)
  })
})

describe.each(paginated)('$name', ({ endpoint }) => {
  const invalid = ['page=0', 'page=-1', 'page=1.5', 'page=x', 'per_page=0', 'per_page=1e2']
  it.each(invalid)('returns 422 for %s', async query => {
    const fields = [query.split('=')[0]]
    expect(await request(endpoint, { query: `?${query}` })).toMatchObject({ ...INVALID, fields })
  })

  it('reduces per_page to 100, and returns an empty page past the end', async () => {
    const query = { per_page: 101, page: 99_999_999_999, colour: 'red' }
    const params = await records.paramsFor(endpoint)
    const { data, pagination } = await world.call(endpoint, { query, params, token: world.admin })
    expect(data).toEqual([])
    expect(pagination).toMatchObject({ per_page: 100, current_page: 99_999_999_999, from: 0, to: 0 })
  })
})

describe('an unknown path or method', () => {
  const others = [
    'GET /nowhere',
    'GET /api/v1',
    'GET /api/v1/nope',
    'GET /api/v2/posts',
    'DELETE /api/v1/posts',
    'PUT /api/v1/admin/posts/1',
    'TRACE /api/v1/health',
    'GET /api/v1/posts/a/b/c',
  ]
  it.each(others)('is answered with 404 in the envelope, with and without a token: %s', async name => {
    const [method = '', path = ''] = name.split(' ')
    const body = { success: false, message: expect.any(String), errors: { code: 'NOT_FOUND' } }
    for (const options of [{}, { headers: { Authorization: `Bearer ${world.admin}` } }]) {
      const { status, json } = await rawRequest(world.baseUrl, method, path, options)
      expect([status, json]).toEqual([404, body])
    }
  })
})
