// Finds the account and the region that `cdk deploy` will use: its command line first, then the environment.
import type { LambdaClientConfig } from '@aws-sdk/client-lambda'

type Environment = Record<string, string | undefined>

/** The value of `--name value` or `--name=value`; the last one wins. */
function optionOf(args: string[], name: string): string | undefined {
  return args.flatMap((arg, n) => (arg === `--${name}` ? (args[n + 1] ?? []) : valueIn(arg, name))).at(-1)
}

function valueIn(arg: string, name: string): string[] {
  return arg.startsWith(`--${name}=`) ? [arg.slice(name.length + 3)] : []
}

/** The SDK finds what is undefined here as the CDK does: in the profile's files, or by the machine's role. */
export function accountOf(args: string[], env: Environment): LambdaClientConfig {
  const profileOption = optionOf(args, 'profile')
  const region = optionOf(args, 'region') ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION
  const keys = profileOption === undefined ? keysIn(env) : undefined
  const profile = profileOption ?? env.AWS_PROFILE ?? env.AWS_DEFAULT_PROFILE
  return {
    ...(region && { region }),
    // The CDK prefers keys in the environment to a profile in the environment; the SDK does the opposite.
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
