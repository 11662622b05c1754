// `npm run prove`: its report, and those checks that the local service can show.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Check, cannotBeTold, didNotHold, held } from '../../infra/prove/check.ts'
import { CHECKS } from '../../infra/prove/checks.ts'
import { findingOf, prove } from '../../infra/prove/report.ts'
import { type ProvedStage, stageWith } from '../../infra/prove/stage.ts'
import { selfSigned } from '../fixtures/self-signed.ts'
import { useWorld } from '../world/world.ts'
import { targetAt } from './operator-world.ts'

const world = useWorld()

function stageAt(baseUrl: string): ProvedStage {
  const target = targetAt(world)
  const account = { region: '', credentials: { accessKeyId: '', secretAccessKey: '' }, endpoint: '' }
  const facts = { stackName: '', parameters: {}, ownUrl: baseUrl, resource: String, account }
  return stageWith({ ...facts, target, baseUrl }, world.admin)
}

function check(name: string, run: Check['run']): Check {
  return { name, did: `${name} did.`, expected: `${name} expected.`, run }
}

async function report(checks: Check[], stage = stageAt(world.baseUrl)) {
  const lines: string[] = []
  const code = await prove(checks, stage, line => lines.push(line))
  return { code, lines }
}

function named(text: string): Check[] {
  return CHECKS.filter(({ name }) => name.includes(text))
}

/** Returns its port. */
async function listen(server: Server): Promise<number | undefined> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' ? address?.port : undefined
}

describe('the report', () => {
  it('shows what each check did, expected and found, and exits with 0 if all held or cannot be told', async () => {
    const checks = [
      check('one', async () => held('1 of 1')),
      check('two', async () => cannotBeTold('No TLS.')),
    ]
    expect(await report(checks)).toEqual({
      code: 0,
      lines: [
        ...['1. one', '   did: one did.', '   expected: one expected.', '   held: 1 of 1'],
        ...['2. two', '   did: two did.', '   expected: two expected.', '   cannot be told here: No TLS.'],
        '2 checks: 1 held, 0 did not hold, 1 cannot be told here.',
      ],
    })
  })

  it('exits with 1 if a check did not hold or failed, and runs those after it', async () => {
    const wrong = check('wrong', async () => didNotHold('403'))
    const failing = check('failing', () => Promise.reject(new TypeError('no answer')))
    const { code, lines } = await report([wrong, failing, check('last', async () => held('yes'))])
    expect(code).toBe(1)
    expect(lines.filter(line => / hold: | held: /.test(line))).toEqual([
      '   did not hold: 403',
      '   did not hold: TypeError: no answer',
      '   held: yes',
    ])
  })

  it('cleans up after a failed check, last first, and exits with 1 if something is left', async () => {
    const stage = stageAt(world.baseUrl)
    const undone: string[] = []
    const making = check('making', async ({ later }) => {
      later('the first', async () => undone.push('the first'))
      later('the second', () => Promise.reject(new Error('denied')))
      later('the third', async () => undone.push('the third'))
      return held('made')
    })
    const { code, lines } = await report([making], stage)
    expect(undone).toEqual(['the third', 'the first'])
    expect({ code, last: lines.at(-2) }).toEqual({
      code: 1,
      last: 'Not deleted: the second. Error: denied',
    })
  })

  it('begins no check after an interruption, cleans up, and exits with 130', async () => {
    const undone: string[] = []
    let isInterrupted = false
    const first = check('first', async ({ later, left }) => {
      later('an item', async () => undone.push('an item'))
      expect(left()).toEqual(['an item'])
      isInterrupted = true
      return held('made')
    })
    const second = check('second', () => Promise.reject(new Error('It runs.')))
    const stage = stageAt(world.baseUrl)
    const lines: string[] = []
    const code = await prove(
      [first, second],
      stage,
      line => lines.push(line),
      () => isInterrupted,
    )
    expect({ code, undone, left: stage.left() }).toEqual({ code: 130, undone: ['an item'], left: [] })
    expect(lines.join()).not.toContain('second')
  })

  it('takes a permission that the owner lacks for something that cannot be told', () => {
    const denied = Object.assign(new Error('not authorized'), { name: 'AccessDeniedException' })
    expect(findingOf(denied).outcome).toBe('cannot be told here')
    expect(findingOf(new Error('ECONNRESET')).outcome).toBe('did not hold')
  })
})

describe('the checks', () => {
  const SHOWN_HERE = [
    'on a transaction',
    'Fallback',
    'context.requestId',
    'not UTF-8',
    'HEAD',
    'gzip',
    'Devanagari',
    'actions',
    'writers',
  ]

  it.each(SHOWN_HERE)('hold for the local service: %s', async text => {
    const { code, lines } = await report(named(text))
    expect(lines.at(-1)).toBe('1 checks: 1 held, 0 did not hold, 0 cannot be told here.')
    expect(code).toBe(0)
  })

  it('cannot tell the TLS policy of an address without TLS', async () => {
    const { code, lines } = await report(named('TLS'))
    expect({ code, found: lines.at(-2) }).toEqual({
      code: 0,
      found: `   cannot be told here: ${world.baseUrl} is not an address of HTTPS.`,
    })
  })

  it.each([
    { oldest: 'TLSv1.2', found: 'held: so it is; TLS 1.3 is accepted' },
    { oldest: 'TLSv1', found: 'did not hold: TLSv1 is accepted. TLSv1.1 is accepted.' },
  ] as const)('find the versions of TLS of a server from $oldest on', async ({ oldest, found }) => {
    const server = createTlsServer({ ...selfSigned, minVersion: oldest, ciphers: 'DEFAULT:@SECLEVEL=0' })
    const port = await listen(server)
    const { lines } = await report(named('TLS'), stageAt(`https://localhost:${port}`))
    expect(lines.at(-2)).toBe(`   ${found}`)
  })

  it('leave nothing behind', async () => {
    const { lines } = await report([...named('on a transaction'), ...named('Devanagari')])
    expect(lines.at(-1)).toContain('2 held')
    const response = await fetch(`${world.baseUrl}/api/v1/categories`)
    expect(await response.json()).toMatchObject({ data: [] })
  })

  it.each(['on a transaction', 'Fallback', 'context.requestId', 'not UTF-8', 'gzip', 'Devanagari'])(
    'do not hold for a gateway that refuses every request: %s',
    async text => {
      const server = createServer((request, response) => {
        request.resume()
        response.writeHead(403).end('{"message":"not a valid key=value pair in Authorization header"}')
      })
      const port = await listen(server)
      const { code, lines } = await report(named(text), stageAt(`http://127.0.0.1:${port}`))
      expect(lines.at(-1)).toBe('1 checks: 0 held, 1 did not hold, 0 cannot be told here.')
      expect(code).toBe(1)
    },
  )
})
