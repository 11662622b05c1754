// The secrets of a function: how often it reads them, and that a rotation of keys is noticed by no function.
import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../../shared/runtime/environment.ts'
import { refreshSecrets } from '../../shared/runtime/secrets.ts'
import { openText, sealText } from '../../shared/table/sealed.ts'
import { openSecretStore } from '../support/secret-store.ts'
import { use } from '../support/use.ts'

const store = use(openSecretStore)
const START_MS = Date.parse('2026-01-01T12:00:00Z')
const MINUTE_MS = 60_000
const ONE_READ = { ClientKey: 1, PrivateKey: 1 }

/** A function that has read its secrets at its start. */
async function startFunction(clock = { nowMs: START_MS }) {
  const variables = { TABLE_NAME: 'test', SITE_URL: 'https://site.example', ...store.environment }
  const environment = readEnvironment(variables)
  const refresh = () => refreshSecrets({ environment, clock: () => clock.nowMs, log: () => undefined })
  await refresh()
  store.readsSince()
  const lock = () => ({ secret: environment.CLIENT_KEY ?? '', use: 'test', place: '' })
  return {
    environment,
    clock,
    refresh,
    seal: () => sealText('sealed', lock()),
    open: (text: string) => openText(text, lock()),
  }
}

describe('the secrets of a function', () => {
  it('are read again ten minutes later, once for all events of the moment', async () => {
    const { clock, refresh } = await startFunction()
    clock.nowMs += 10 * MINUTE_MS - 1
    await refresh()
    expect(store.readsSince()).toEqual({})
    clock.nowMs += 1
    await Promise.all([refresh(), refresh(), refresh()])
    expect(store.readsSince()).toEqual(ONE_READ)
  })

  it('are read again after a clock that was ahead was set back', async () => {
    const { clock, refresh } = await startFunction()
    clock.nowMs -= 60 * MINUTE_MS
    await refresh()
    expect(store.readsSince()).toEqual(ONE_READ)
  })

  it('stay as they were while they cannot be read, which is tried every two seconds', async () => {
    const { environment, clock, refresh, seal, open } = await startFunction()
    const endpoint = environment.AWS_ENDPOINT_URL_SECRETS_MANAGER
    environment.AWS_ENDPOINT_URL_SECRETS_MANAGER = 'http://127.0.0.1:1'
    clock.nowMs += 10 * MINUTE_MS
    await refresh()
    expect(open(seal())).toBe('sealed')
    environment.AWS_ENDPOINT_URL_SECRETS_MANAGER = endpoint
    clock.nowMs += 1_999
    await refresh()
    expect(store.readsSince()).toEqual({})
    clock.nowMs += 1
    await refresh()
    expect(store.readsSince()).toEqual(ONE_READ)
  })
})

describe('functions that are used at different moments', () => {
  it('open whatever another one has sealed, before, during and after a rotation', async () => {
    const clock = { nowMs: START_MS }
    const functions = await Promise.all([1, 2, 3].map(() => startFunction(clock)))
    const seals: string[] = []
    for (let step = 0; step < 60; step++) {
      clock.nowMs += ((step * 7) % 9) * MINUTE_MS
      if (step === 10) store.rotate('ClientKey', clock.nowMs / 1000)
      const one = functions[(step + (step >> 1)) % 3] ?? expect.unreachable()
      await one.refresh()
      for (const seal of seals) expect(one.open(seal), `in step ${step}`).toBe('sealed')
      seals.push(one.seal())
    }
    const keys = seals.map(seal => (seal.includes('.') ? 2 : 1))
    expect([keys[10], new Set(keys)]).toEqual([1, new Set([1, 2])])
  })
})
