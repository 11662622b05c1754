// An undeclared event fails its request in the tests and the local run, and is fired in production.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { endpoint } from '../../shared/http/endpoint.ts'
import { noData } from '../../shared/http/reply.ts'
import { openChain } from '../world/chain.ts'

describe('an event that its endpoint does not declare', () => {
  const quiet = {
    ask: endpoint({ method: 'POST', path: '/quiet', summary: '', message: '', data: z.object({}) }),
  }
  const submission = {
    id: 1,
    url: 'https://site.example',
    name: 'Ada',
    email: 'a@example.com',
    subject: null,
  }

  async function fireUndeclared(environment: Record<string, string>) {
    const own = await openChain(environment)
    const call = own.open(quiet, {
      ask: async ({ work }) => {
        await work.commit({ actions: [], events: [{ event: 'contact.submitted', data: submission }] })
        return noData()
      },
    })
    const { status } = await call(quiet.ask)
    await own.stop()
    return { status, sent: own.sent.length, errors: own.logged.filter(({ level }) => level === 'error') }
  }

  it('fails the request in the tests and in the local run, before anything is written', async () => {
    const { status, sent, errors } = await fireUndeclared({})
    expect([status, sent]).toEqual([500, 0])
    expect(errors[0]?.error).toContain('fires contact.submitted: add it to `emits`')
  })

  it('is fired and logged as an error in production', async () => {
    const { status, sent, errors } = await fireUndeclared({ REFUSE_UNDECLARED_EVENTS: 'false' })
    expect([status, sent]).toEqual([200, 1])
    expect(errors).toMatchObject([{ message: 'undeclared events' }])
  })
})
