// The entry point of `npm run test:stack`: deploys the stack into ministack, and checks it like a stage.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { main as conformance } from '../conformance/main.ts'
import { installPython } from '../world/python.ts'
import { deployer } from './deployed.ts'
import { startEmulator } from './emulator.ts'
import { lint } from './lint.ts'

const EMAIL = 'owner@example.com'
const IssuedToken = z.object({ token: z.string() })
const CreatedUser = z.object({ password: z.string() })

function step<Result>(name: string, run: () => Result): Result {
  console.log(`\n== ${name}`)
  return run()
}

/** The first deployment starts all functions at once: on a slow machine they answer only the second time. */
function deployTwice(deploy: () => string): void {
  try {
    deploy()
  } catch {
    console.log('Once more, with functions that have started.')
    deploy()
  }
}

async function checkStack(scripts: string, folder: string): Promise<number> {
  step('lint', () => lint(scripts, folder))
  const emulator = await startEmulator(scripts, folder)
  process.once('SIGINT', () => void emulator.stop())
  try {
    const stack = deployer({ endpoint: emulator.endpoint, folder })
    step('synthesize', stack.synthesize)
    step('bootstrap', stack.bootstrap)
    step('deploy', () => deployTwice(stack.deploy))
    const { password } = step('operator: a user and a token', () =>
      CreatedUser.parse(
        JSON.parse(stack.operator('user', 'create', '--email', EMAIL, '--name', 'Owner', '--json')),
      ),
    )
    const command = [
      'token',
      'create',
      '--email',
      EMAIL,
      '--abilities',
      'user,admin',
      '--name',
      'stack',
      '--json',
    ]
    const { token } = IssuedToken.parse(JSON.parse(stack.operator(...command)))
    const baseUrl = await stack.baseUrl()
    const code = await step(`conformance of ${baseUrl}`, () =>
      conformance([baseUrl, '--admin-token', token, '--email', EMAIL, '--limits-raised'], {
        env: { PASSWORD: password },
        out: console.log,
        err: console.log,
        onInterrupt: () => {},
      }),
    )
    console.log(step('operator: doctor', () => stack.operator('doctor')))
    return code
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
