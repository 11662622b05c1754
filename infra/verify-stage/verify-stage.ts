// `npm run verify-stage -- STAGE --email EMAIL`: runs the checks on a deployed stage and cleans up.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { BASE_URL_OUTPUT, stackNameOf } from '../names.ts'
import { CannotTell, CHECKS, type Check, type VerifiedStage } from './checks.ts'

const USAGE = `npm run verify-stage -- STAGE --email EMAIL [--url URL]

Shows on a deployed stage what only AWS can show, with the AWS credentials of this shell.
EMAIL is an account of the stage: it gets an admin token, which is revoked at the end.
URL is where the stage answers, if not at its own address.`

type Undo = { what: string; undo: () => Promise<unknown> }

/** Prints what each check saw. Returns how many sentences do not hold. */
export async function verify(checks: Check[], stage: VerifiedStage, print = console.log): Promise<number> {
  let failed = 0
  for (const { name, run } of checks) {
    try {
      print(`held: ${name}: ${await run(stage)}`)
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (!(error instanceof CannotTell)) failed++
      print(`${error instanceof CannotTell ? 'cannot be told here' : 'did not hold'}: ${name}: ${problem}`)
    }
  }
  print(`${checks.length} checks, ${failed} did not hold.`)
  return failed
}

/** Last first. Returns how many could not be undone. */
export async function cleanUp(undos: Undo[], print = console.log): Promise<number> {
  let left = 0
  for (let last = undos.pop(); last; last = undos.pop()) {
    const { what, undo } = last
    await undo().catch(error => {
      left++
      print(`Not deleted: ${what}. ${String(error)}`)
    })
  }
  return left
}

async function main(): Promise<number> {
  const text = { type: 'string' } as const
  const { values, positionals } = parseArgs({ options: { email: text, url: text }, allowPositionals: true })
  const [name] = positionals
  if (name === undefined || values.email === undefined) {
    console.error(USAGE)
    return 2
  }
  const undos: Undo[] = []
  const interrupted = Promise.withResolvers<never>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => interrupted.reject(new Error('Interrupted.')))
  }
  const run = async () => await verify(CHECKS, await openStage(name, values, undos))
  let failed = 1
  try {
    failed = await Promise.race([run(), interrupted.promise])
  } finally {
    failed += await cleanUp(undos)
  }
  return failed > 0 ? 1 : 0
}

async function openStage(
  name: string,
  { email = '', url }: { email?: string; url?: string },
  undos: Undo[],
): Promise<VerifiedStage> {
  const StackName = stackNameOf(name)
  const { Stacks } = await new CloudFormationClient().send(new DescribeStacksCommand({ StackName }))
  const { Outputs = [], Parameters = [] } = Stacks?.[0] ?? {}
  const own = Outputs.find(({ OutputKey }) => OutputKey === BASE_URL_OUTPUT)?.OutputValue ?? ''
  const sender = Parameters.find(({ ParameterKey }) => ParameterKey === 'MailSender')?.ParameterValue ?? ''
  const words = ['token', 'create', '--email', email, '--abilities', 'admin', '--name', 'verify-stage']
  const { id, token } = JSON.parse(await operator(name, ...words))
  const revoke = () => operator(name, 'token', 'revoke', email, String(id))
  undos.push({ what: `the token ${id} of ${email}`, undo: revoke })
  return {
    baseUrl: (url ?? own).replace(/\/$/, ''),
    token: String(token),
    mailSender: sender,
    later: (what, undo) => void undos.push({ what, undo }),
  }
}

/** What a command prints. Throws with what it says when it fails. */
async function operator(stage: string, ...words: string[]): Promise<string> {
  const argv = [fileURLToPath(new URL('../operator/operator.ts', import.meta.url)), ...words]
  return (await promisify(execFile)(process.execPath, [...argv, '--stage', stage, '--json'])).stdout
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const code = await main().catch(error => {
    console.error(error instanceof Error ? error.message : error)
    return 1
  })
  // A request that was interrupted may still wait for its answer.
  process.exit(code)
}
