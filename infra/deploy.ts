// `npm run deploy`: checks the account's Lambda quota, then runs `cdk deploy` with the same arguments.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda'
import cdk from '../cdk.json' with { type: 'json' }
import { accountOf } from './deploy-account.ts'
import { adviceFor } from './quota.ts'
import { readSettings } from './settings.ts'

const args = process.argv.slice(2)

/** The value of `-c name=value` or `--context name=value`; the last one wins. */
function contextOf(name: string): string | undefined {
  return args
    .flatMap((arg, n) =>
      ['-c', '--context'].includes(arg)
        ? [args[n + 1] ?? '']
        : (/^(?:-c|--context=)(.+)$/.exec(arg)?.[1] ?? []),
    )
    .findLast(pair => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
}

/** Undefined if it cannot be read: `cdk deploy` then reports what is missing. */
async function readQuota(): Promise<number | undefined> {
  try {
    const client = new LambdaClient({ ...accountOf(args, process.env), maxAttempts: 2 })
    const { AccountLimit } = await client.send(new GetAccountSettingsCommand())
    return AccountLimit?.ConcurrentExecutions
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.error(
      `The account's quota of concurrent executions could not be read, so it is not checked: ${reason}`,
    )
    return undefined
  }
}

const defaults: Record<string, unknown> = cdk.context
const { maxConcurrency } = readSettings(name => contextOf(name) ?? defaults[name])
const quota = await readQuota()
const advice = quota === undefined ? undefined : adviceFor(quota, maxConcurrency)
if (advice) console.error(advice.text)
if (advice?.mayDeploy === false) process.exit(1)

const command = fileURLToPath(new URL('../node_modules/aws-cdk/bin/cdk', import.meta.url))
const child = spawn(process.execPath, [command, 'deploy', ...args], { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
child.on('exit', code => process.exit(code ?? 1))
