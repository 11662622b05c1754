// The entry point of `npm run test:stack`: deploys the stack into ministack, and checks it like a stage.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { BASE_URL_OUTPUT } from '../../infra/names.ts'
import { CHECKS } from '../../infra/operator/verify-stage/checks.ts'
import { keyOfRow, outboxRow } from '../../shared/events/outbox.ts'
import { connect, openTable } from '../../shared/table/client.ts'
import { main as conformance } from '../conformance/main.ts'
import { installPython } from '../support/python.ts'
import { until } from '../support/until.ts'
import { type DeployedStage, KEPT, openStage, settingsOf } from './deployed.ts'
import { destroyStage, leftOf, listAccount } from './destroy.ts'
import { startEmulator } from './emulator.ts'
import { lint } from './lint.ts'
import { callerOf, countOf, EMAIL, type Owner, openOwner } from './owner.ts'
import { hold, step } from './steps.ts'
import { updateStage } from './update.ts'

/** It is kept, as one with readers. */
const STAGE = 'live'
/** It is disposable, and destroyed at the end. */
const SECOND_STAGE = 'dev'

/** What `verify-stage` finds here but `held`, by a part of the check's name. README.md says why. */
const NOT_HELD: Record<string, string> = {
  'a preflight': 'did not hold',
  'a body that is too large': 'did not hold',
  'not UTF-8': 'did not hold',
  'TLS policy': 'cannot be told here',
  gzip: 'did not hold',
  SES: 'cannot be told here',
}

/** A deployment starts all functions at once: on a slow machine they answer only the second time. */
async function deployTwice(deploy: () => Promise<unknown>): Promise<void> {
  try {
    await deploy()
  } catch {
    console.log('Once more, with functions that have started.')
    await deploy()
  }
}

function runConformance(baseUrl: string, { password, token }: Owner): Promise<number> {
  return conformance([baseUrl, '--email', EMAIL, '--limits-raised'], {
    env: { ADMIN_TOKEN: token, PASSWORD: password },
    out: console.log,
    err: console.log,
    onInterrupt: () => {},
  })
}

/** The clock runs the sweep, which sends a message that was left, and deletes its row. */
async function checkSweep(stage: DeployedStage): Promise<void> {
  const { TableName = '' } = await stage.outputs()
  const table = openTable(connect(settingsOf(stage.endpoint)), TableName)
  const row = outboxRow({ queue: 'jobs', body: { kind: 'list', list: 'category:0' } }, Date.now() - 200_000)
  await table.write({ Put: { Item: row } })
  await until('the sweep to run', async () => !(await table.find(keyOfRow(row), z.unknown())))
  hold('the sweep sends what was left in the outbox', true)
}

/** What `infra/keeping.md` says: nothing remains, and the next deployment begins again. */
async function failAtFirst(stage: DeployedStage, before: string[], list: () => string[]): Promise<void> {
  stage.plantFault()
  await stage.failToDeploy()
  hold('it is rolled back', (await stage.status()) === 'ROLLBACK_COMPLETE', await stage.status())
  const left = leftOf(before, list()).filter(
    line => !line.includes(stage.stackName) || !line.startsWith('cloudformation'),
  )
  hold('nothing is left over', left.length === 0, left)
}

async function failLater(stage: DeployedStage, { call }: Owner): Promise<void> {
  stage.plantFault()
  await stage.failToDeploy()
  const { status, isTableProtected } = await stage.state()
  hold('it is rolled back', status === 'UPDATE_ROLLBACK_COMPLETE', status)
  hold('the table is still protected', isTableProtected)
  const posts = await call('GET', '/posts')
  hold('the last release answers, with its posts', posts.status === 200 && countOf(posts.data) > 0, posts)
}

/** Both answer, and neither has anything of the other. */
async function compareStages(first: DeployedStage, owner: Owner, second: DeployedStage): Promise<void> {
  const [own, others] = [await first.outputs(), await second.outputs()]
  const shared = Object.entries(others).filter(([name, value]) => own[name] === value)
  hold('each has its own table, queues, secrets and address', shared.length === 0, shared)
  const missing = Object.keys(others).filter(name => own[name] === undefined)
  hold('the first has all outputs of the second', missing.length === 0, missing)
  hold('the address of the second is known', others[BASE_URL_OUTPUT] !== undefined)

  const posts = await owner.call('GET', '/posts')
  hold('the first answers, with its posts', posts.status === 200 && countOf(posts.data) > 0, posts)
  const stranger = callerOf(await second.baseUrl(), owner.token)
  const empty = await stranger('GET', '/posts')
  hold('the second answers, without a post', empty.status === 200 && countOf(empty.data) === 0, empty)
  const refused = await stranger('GET', '/me')
  hold('a token of the first is none in the second', refused.status === 401, refused)
  const records = await second.operator('export')
  hold('the second has no user', !records.includes('"type":"user"'), records)
}

/** Compares what `verify-stage` finds with what ministack can show. */
async function verifyEmulated(stage: DeployedStage): Promise<void> {
  const { output, code } = await stage.verifyStage('--email', EMAIL, '--url', await stage.baseUrl())
  console.log(output)
  const lines = output.split('\n')
  hold('some checks did not hold', code === 1, { code })
  for (const { name } of CHECKS) {
    const expected = Object.entries(NOT_HELD).find(([part]) => name.includes(part))?.[1] ?? 'held'
    hold(
      `${name}: ${expected}`,
      lines.some(line => line.startsWith(`${expected}: ${name}: `)),
      { output },
    )
  }
}

/** Returns the exit code of the conformance suite. Each step throws when what it expects does not hold. */
async function checkStages(scripts: string, folder: string, endpoint: string): Promise<number> {
  const stage = openStage({ endpoint, folder, stage: STAGE, values: KEPT })
  await step('synthesize', () => stage.synthesize())
  await step('bootstrap', () => stage.bootstrap())
  const list = () => listAccount(scripts, endpoint)
  const empty = list()
  await step('a first deployment that fails', () => failAtFirst(stage, empty, list))
  await step('deploy', async () => {
    await stage.synthesize()
    await deployTwice(() => stage.deploy())
    const state = await stage.state()
    hold('the stack and its table are protected', state.isProtected && state.isTableProtected, state)
  })
  const owner = await step('operator: a user and a token', () => openOwner(stage))
  const baseUrl = await stage.baseUrl()
  const code = await step(`conformance of ${baseUrl}`, () => runConformance(baseUrl, owner))
  await step('update', () => updateStage(stage, owner, scale => deployTwice(() => stage.deploy(scale))))
  await step('an update that fails its check', () => failLater(stage, owner))
  await step('the sweep', () => checkSweep(stage))

  const second = openStage({ endpoint, folder, stage: SECOND_STAGE, values: { disposable: 'true' } })
  const before = list()
  await step('a second stage', async () => {
    await second.synthesize()
    await deployTwice(() => second.deploy())
    await compareStages(stage, owner, second)
  })
  await step('verify-stage', () => verifyEmulated(stage))
  await step('destroy the second stage', async () => {
    await destroyStage({ stage: second, before, list })
    const posts = await owner.call('GET', '/posts')
    hold('the other stage answers, with its posts', posts.status === 200 && countOf(posts.data) > 0, posts)
  })
  console.log(await step('operator: doctor', () => stage.operator('doctor')))
  await step('destroy the stage that is kept', async () => {
    await stage.unprotect()
    await destroyStage({ stage, before: empty, list, isKept: true })
  })
  return code
}

async function checkStack(scripts: string, folder: string): Promise<number> {
  await step('lint', () => lint(scripts, folder))
  const emulator = await startEmulator(scripts, folder)
  process.once('SIGINT', () => void emulator.stop())
  try {
    return await checkStages(scripts, folder, emulator.endpoint)
  } catch (error) {
    console.log(`The log of the emulator is in ${emulator.logFile}.`)
    throw error
  } finally {
    await emulator.stop()
  }
}

const requirements = new URL('requirements.txt', import.meta.url).pathname
const scripts = installPython({ name: 'ministack and cfn-lint', folder: 'stack', requirements })
if (scripts) {
  const folder = mkdtempSync(join(tmpdir(), 'stack-'))
  // A package.json of modules in a folder above would break the workers of ministack.
  writeFileSync(join(folder, 'package.json'), '{}')
  process.exitCode = await checkStack(scripts, folder)
  rmSync(folder, { recursive: true, force: true })
}
