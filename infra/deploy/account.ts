// Finds the account and the region that `cdk deploy` will use: its command line first, then the environment;
// and says what to do if the shell names no region or no credentials, or expired ones.
import type { LambdaClientConfig } from '@aws-sdk/client-lambda'

type Environment = Record<string, string | undefined>

/** The value of `--name value` or `--name=value`; the last one wins. */
function optionOf(args: string[], name: string): string | undefined {
  const at = args.findLastIndex(arg => arg === `--${name}` || arg.startsWith(`--${name}=`))
  return at < 0 ? undefined : (/=(.*)/.exec(args[at] ?? '')?.[1] ?? args[at + 1])
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

/** What to do about a call of AWS that failed for want of access. Undefined for another cause. */
export function missingAccess(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const text = `${error.name} ${error.message}`
  // The SDK says what to do: `aws sso login`.
  if (/to refresh this sso session/i.test(text)) return error.message
  if (/region is missing/i.test(text)) {
    return 'No AWS region is set. Set AWS_REGION to the region of the stage, or AWS_PROFILE to a profile that has one.'
  }
  if (/CredentialsProviderError|could not load credentials/i.test(text)) {
    return 'No AWS credentials are set. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN, if they are temporary), or AWS_PROFILE to a profile that has some.'
  }
  return undefined
}
