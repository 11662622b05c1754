// The entry point of `npm run test:stack`: deploys the stack into ministack, and checks it like a stage.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { main as conformance } from '../conformance/main.ts'
import { installPython } from '../world/python.ts'
import { KEPT, openStage } from './deployed.ts'
import { destroyStage, listAccount } from './destroy.ts'
import { startEmulator } from './emulator.ts'
import { lint } from './lint.ts'
import { EMAIL, type Owner, openOwner } from './owner.ts'
import { compareStages } from './second-stage.ts'
import { hold, step } from './steps.ts'
import { updateStage } from './update.ts'
import { verifyEmulated } from './verify-stage.ts'

/** It is kept, as one with readers. */
const STAGE = 'emulated'
/** It is disposable, and destroyed at the end. */
const SECOND_STAGE = 'another'

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

/** Of the clock as well, which has run by now. */
async function checkHealth({ call }: Owner): Promise<void> {
  const { status, data } = await call('GET', '/health?deep=1')
  const isWell = status === 200 && z.object({ status: z.literal('ok') }).safeParse(data).success
  hold('the table, the queues, the sweep, the outbox and the search index are well', isWell, data)
}

/** Returns the exit code of the conformance suite. Each step throws when what it expects does not hold. */
async function checkStages(scripts: string, folder: string, endpoint: string): Promise<number> {
  const stage = openStage({ endpoint, folder, stage: STAGE, values: KEPT })
  await step('synthesize', () => stage.synthesize())
  await step('bootstrap', () => stage.bootstrap())
  await step('deploy', () => deployTwice(() => stage.deploy()))
  const owner = await step('operator: a user and a token', () => openOwner(stage))
  const baseUrl = await stage.baseUrl()
  const code = await step(`conformance of ${baseUrl}`, () => runConformance(baseUrl, owner))
  await step('update', () => updateStage(stage, owner, scale => deployTwice(() => stage.deploy(scale))))
  await step('health', () => checkHealth(owner))

  const second = openStage({ endpoint, folder, stage: SECOND_STAGE, values: { disposable: 'true' } })
  const list = () => listAccount(scripts, endpoint)
  const before = list()
  await step('a second stage', async () => {
    await second.synthesize()
    await deployTwice(() => second.deploy())
    await compareStages(stage, owner, second)
  })
  await step('verify-stage', () => verifyEmulated(stage))
  await step('destroy the second stage', () => destroyStage({ stage: second, other: owner, before, list }))
  console.log(await step('operator: doctor', () => stage.operator('doctor')))
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
