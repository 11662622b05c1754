// The command line as a process: on a stopped state, on a state that is in use, and on a deployed stage.
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openState } from '../../infra/local/state.ts'
import { addRefusal } from '../../shared/mail/refusals.ts'
import { newFolder } from '../support/folder.ts'
import { runService } from '../support/local-service.ts'
import { newTable } from '../support/new-table.ts'
import { openWorld } from '../support/world.ts'
import { run, stageOf, startSuppressionList } from './operator-process.ts'
import { operatorOn } from './operator-world.ts'

describe('npm run operator', () => {
  it('works on a stopped state, stores its changes, and releases the state', async () => {
    const state = await openState(await newFolder())
    const service = await runService({ state, hasClock: false })
    await service.stop()
    const set = await run(['settings', 'set', 'general.site_name', 'Idle', '--state', state.folder])
    expect(set).toMatchObject({ code: 0, out: 'general.site_name\tIdle\n' })
    expect(set.err).toContain('without a running service')
    const doctor = await run(['doctor', '--json', '--state', state.folder])
    expect(doctor.code).toBe(0)
    expect(JSON.parse(doctor.out)).toMatchObject({ wrong: 0, items: 3 })
  })

  it('prints which variables to set without a region or credentials of AWS', async () => {
    const own = Object.keys(process.env).filter(name => name.startsWith('AWS_'))
    const none = {
      ...Object.fromEntries(own.map(name => [name, undefined])),
      ...{ HOME: await newFolder(), AWS_EC2_METADATA_DISABLED: 'true' },
    }
    const argv = ['webhooks', 'list', '--stage', 'live']
    const withoutRegion = await run(argv, none)
    expect(withoutRegion).toMatchObject({ code: 1, err: expect.stringContaining('Set AWS_REGION to') })
    const withoutCredentials = await run(argv, { ...none, AWS_REGION: 'us-east-1' })
    const advice = expect.stringContaining('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
    expect(withoutCredentials).toMatchObject({ code: 1, err: advice })
  })

  it('creates no state in another folder, and prints what to do', async () => {
    const typo = join(await newFolder(), 'typo')
    const { code, out, err } = await run(['doctor', '--state', typo])
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(`There is no service state in ${typo}.`)
    expect(err).toContain(`npm start -- --state ${typo}`)
    await expect(access(typo)).rejects.toThrow('ENOENT')
  })

  it('asks to try again if the state is in use and no service answers', async () => {
    const state = await openState(await newFolder())
    onTestFinished(() => state.release())
    const { code, err } = await run(['webhooks', 'list', '--state', state.folder])
    expect(code).toBe(1)
    expect(err).toContain('Try again in a moment')
    expect(err).not.toContain('    at ')
  })

  it('finds a deployed stage by the outputs of its stack, and another table of it by --table', async () => {
    const world = await openWorld()
    onTestFinished(() => world.stop())
    const { id } = await world.create.webhook('https://example.com/hook')
    const environment = await stageOf(world)
    const other = await newTable()
    onTestFinished(() => other.stop())
    const ses = await startSuppressionList('ada@example.com')
    const bounce = { email: 'ada@example.com', reason: 'bounce', detail: 'General', refused_ms: 1 } as const
    await addRefusal(world.table, bounce)
    const verifyStage = ['verify-stage', '--email', world.owner.email]
    const [listed, paused, redriven, verified, unknown, missing, allowed, restored] = await Promise.all([
      run(['webhooks', 'list', '--json', '--stage', 'dev'], environment),
      run(['webhooks', 'pause', String(id), '--stage', 'dev'], environment),
      run(['redrive', 'jobs', '--json', '--stage', 'dev'], environment),
      run([...verifyStage, '--url', 'http://127.0.0.1:1', '--stage', 'dev'], environment),
      run(['webhooks', 'list', '--stage', 'nowhere'], environment),
      run(['webhooks', 'list', '--stage', 'dev', '--table', 'missing'], environment),
      run(['mail', 'refused', '--allow', 'Ada@example.com', '--stage', 'dev'], {
        ...environment,
        AWS_ENDPOINT_URL_SESV2: ses.endpoint,
      }),
      run(['webhooks', 'list', '--json', '--stage', 'dev', '--table', other.tableName], {
        ...environment,
        AWS_ENDPOINT_URL_DYNAMODB: other.endpoint,
      }),
    ])
    expect(JSON.parse(listed.out)).toMatchObject([{ id, owner: world.owner.email }])
    expect(paused.out).toContain(`Paused subscription ${id}`)
    expect(paused.err).toContain(`Working on stage dev (table ${world.tableName}).`)
    expect(JSON.parse(redriven.out)).toEqual([{ queue: 'jobs', moved: 0, refused: 0 }])
    expect(verified).toMatchObject({ code: 1, out: expect.stringContaining('checks, ') })
    const tokens = await operatorOn(world).run(['token', 'list', world.owner.email])
    expect(tokens.out).not.toContain('verify-stage')
    expect(allowed).toMatchObject({ code: 0, out: 'Ada@example.com gets mails again.\n' })
    expect(ses.removed).toEqual(['DELETE Ada@example.com', 'DELETE ada@example.com'])
    expect(restored).toMatchObject({ code: 0, out: '[]\n' })
    expect(restored.err).toContain(`Working on stage dev (table ${other.tableName}).`)
    expect(missing).toMatchObject({ code: 1, out: '' })
    expect(missing.err).toContain('ResourceNotFoundException: ')
    expect(unknown).toMatchObject({ code: 1, out: '' })
    expect(unknown.err).toBe(
      'There is no stage nowhere in us-east-1 of this account. Check --stage, AWS_REGION and AWS_PROFILE.\n',
    )
    expect(unknown.err).not.toContain('    at ')
  })
})
