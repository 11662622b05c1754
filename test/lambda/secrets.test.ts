// Seals with an unknown key: the secrets may have been rotated, or anybody has forged the seal.
import { beforeEach, describe, expect, it } from 'vitest'
import { currentKey, requireKey } from '../../shared/aws/secret-value.ts'
import { ApiError, invalid } from '../../shared/http/errors.ts'
import { readEnvironment } from '../../shared/runtime/environment.ts'
import { refreshSecrets, withKnownKeys } from '../../shared/runtime/secrets.ts'
import { openSecretStore } from '../support/secret-store.ts'
import { use } from '../support/use.ts'

const store = use(openSecretStore)
const START_MS = Date.parse('2026-01-01T12:00:00Z')
const ONE_READ = { ClientKey: 1, PrivateKey: 1 }

/** A function that has read its secrets at its start. */
async function startFunction() {
  const variables = { TABLE_NAME: 'test', SITE_URL: 'https://site.example', ...store.environment }
  const environment = readEnvironment(variables)
  const clock = { nowMs: START_MS }
  const reader = { environment, clock: () => clock.nowMs, log: () => undefined }
  await refreshSecrets(reader)
  store.readsSince()
  /** Opens a seal with the key of this number, which a client has sent or the service has stored. */
  const open = (number: number, isStored = false) =>
    withKnownKeys(reader, async () => {
      const failure = isStored
        ? new Error('The key of a stored secret is unknown.')
        : invalid({ after: ['Is wrong.'] })
      requireKey(environment.CLIENT_KEY ?? '', number, failure)
      return 'opened'
    }).catch((error: unknown) => (error instanceof ApiError ? error.code : String(error)))
  return { open, clock }
}

let key: number
beforeEach(() => {
  key = currentKey(store.value('ClientKey')).id
})

describe('a seal of a client with the key after the current one', () => {
  it('is opened after a rotation: the first has the secrets read again', async () => {
    const { open } = await startFunction()
    store.rotate('ClientKey')
    expect(await open(key + 1)).toBe('opened')
    expect(store.readsSince()).toEqual(ONE_READ)
  })

  it('has the secrets read once in two seconds, and every further one fails without waiting for a read', async () => {
    const { open, clock } = await startFunction()
    const all = await Promise.all(Array.from({ length: 50 }, () => open(key + 1)))
    expect(new Set(all)).toEqual(new Set(['VALIDATION_ERROR']))
    clock.nowMs += 1_999
    expect(await open(key + 1)).toBe('VALIDATION_ERROR')
    expect(store.readsSince()).toEqual(ONE_READ)
    store.rotate('ClientKey')
    clock.nowMs += 1
    expect(await open(key + 1)).toBe('opened')
    expect(store.readsSince()).toEqual(ONE_READ)
  })

  it('fails while a read that another one has caused is under way', async () => {
    const { open } = await startFunction()
    const first = open(key + 1)
    const ended: string[] = []
    const others = [1, 2, 3].map(() => open(key + 1).then(() => ended.push('other')))
    await Promise.all([first.then(() => ended.push('first')), ...others])
    expect(ended).toEqual(['other', 'other', 'other', 'first'])
  })

  it('has the secrets read after a clock that was ahead was set back', async () => {
    const { open, clock } = await startFunction()
    clock.nowMs += 3_600_000
    await open(key + 1)
    clock.nowMs -= 3_600_000
    store.rotate('ClientKey')
    expect(await open(key + 1)).toBe('opened')
  })
})

describe('a seal of the service itself with the key after the current one', () => {
  it('has the secrets read although a client has just caused a read', async () => {
    const { open } = await startFunction()
    await open(key + 1)
    store.rotate('ClientKey')
    expect(await Promise.all([1, 2, 3].map(() => open(key + 1, true)))).toEqual(Array(3).fill('opened'))
    expect(store.readsSince()).toEqual({ ClientKey: 2, PrivateKey: 2 })
  })
})

describe('a seal with any other unknown key', () => {
  it('has nothing read', async () => {
    const { open } = await startFunction()
    for (const number of [0, key + 2, 999_999]) await open(number)
    expect(store.readsSince()).toEqual({})
  })
})
