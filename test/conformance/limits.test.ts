// The suite and the limits: it shows those of a service that has them, and keeps to them otherwise.
import { describe, expect, it, onTestFinished } from 'vitest'
import { openServer } from '../support/server.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'
import { answered } from './faults/fault.ts'
import { openProxy } from './faults/proxy.ts'
import { openPace } from './pace.ts'
import { runSuite } from './runner.ts'
import { openSuite } from './suite.ts'

const world = useWorld({ environment: { LIMIT_SCALE: '1' } })
const proxy = use(() => openProxy(world.baseUrl))

async function runCheck(limit: string) {
  const suite = openSuite({ baseUrl: proxy.url, adminToken: world.admin })
  const { results } = await runSuite(suite, { includes: sentence => sentence.startsWith(`| ${limit} |`) })
  return results.map(({ outcome, reason }) => `${outcome}: ${reason}`)
}

describe('the checks of the limits', () => {
  it.each([
    '`/api/v1/auth/login` | 5 requests/min per IP',
    '`/api/v1/me/*` | 120 requests/min per user',
    '`/api/v1/admin/*` | 30 requests/min per user',
    'other public `/api/v1/*` | 60 requests/min per IP',
  ])('hold for the local service: %s', async limit => expect(await runCheck(limit)).toEqual(['held: ']))

  it('catch a limit that is not kept', async () => {
    proxy.plant(answered(422, 429))
    expect(await runCheck('`/api/v1/auth/register` | 3 requests/min per IP')).toEqual([
      expect.stringMatching(/^fell short: .* answered 422 .* and not 429\.$/),
    ])
  })
})

describe('the client of the suite', () => {
  it.each([
    { busy: 429, after: '1', most: 1, sent: 2, status: 200, what: 'repeats a request after a 429' },
    { busy: 503, after: '1', most: 1, sent: 2, status: 200, what: 'repeats one after a 503 that says when' },
    { busy: 503, after: '0', most: 9, sent: 3, status: 503, what: 'returns the third 503 with Retry-After' },
    { busy: 503, after: '60', most: 9, sent: 1, status: 503, what: 'does not wait a minute after a 503' },
    { busy: 503, most: 9, sent: 1, status: 503, what: 'repeats none after a 503 without Retry-After' },
  ])('$what', async ({ busy, after, most, sent, status }) => {
    let requests = 0
    const server = await openServer((_, response) => {
      const isBusy = ++requests <= most
      response.writeHead(isBusy ? busy : 200, after ? { 'Retry-After': after } : {}).end('{}')
    })
    onTestFinished(server.stop)
    const suite = openSuite({ baseUrl: server.url, adminToken: '' })
    expect((await suite.reader('GET', '/posts')).status).toBe(status)
    expect(requests).toBe(sent)
  })

  it('waits before the sixth login of a minute, and not for raised limits', async () => {
    const lines: string[] = []
    const log = (line: string) => lines.push(line)
    const { signal } = new AbortController()
    const raised = openPace({ isRaised: true, log })
    for (let n = 0; n < 6; n++) await raised.before('/auth/login', signal)
    const pace = openPace({ isRaised: false, log })
    for (let n = 0; n < 5; n++) await pace.before('/auth/login', signal)
    expect(lines).toEqual([])
    const interruption = new AbortController()
    const sixth = pace.before('/auth/login', interruption.signal)
    interruption.abort()
    await expect(sixth).rejects.toThrow('aborted')
    expect(lines).toEqual(['Waiting 61 s: 5 requests a minute to /auth/login are allowed'])
  })
})
