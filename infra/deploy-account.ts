// Whose account and which region `cdk deploy` uses: its command line first, then the environment, in the CDK's order.
import type { LambdaClientConfig } from '@aws-sdk/client-lambda'

type Environment = Record<string, string | undefined>

/** What `--name value` or `--name=value` says. */
function optionOf(args: string[], name: string): string | undefined {
  return args.flatMap((arg, n) => (arg === `--${name}` ? (args[n + 1] ?? []) : valueIn(arg, name))).at(-1)
}

function valueIn(arg: string, name: string): string[] {
  return arg.startsWith(`--${name}=`) ? [arg.slice(name.length + 3)] : []
}

/** What is undefined the SDK finds as the CDK does: in the profile's files, or by the machine's role. */
export function accountOf(args: string[], env: Environment): LambdaClientConfig {
  const profileOption = optionOf(args, 'profile')
  const region = optionOf(args, 'region') ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION
  const keys = profileOption === undefined ? keysIn(env) : undefined
  const profile = profileOption ?? env.AWS_PROFILE ?? env.AWS_DEFAULT_PROFILE
  return {
    ...(region && { region }),
    // For the CDK, keys of the environment go before a profile of the environment; for the SDK it is the other way.
    ...(keys ? { credentials: keys } : profile && { profile }),
  }
}

function keysIn({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN }: Environment) {
  return AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY
    ? {
        accessKeyId: AWS_ACCESS_KEY_ID,
        secretAccessKey: AWS_SECRET_ACCESS_KEY,
        ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
      }
    : undefined
}
