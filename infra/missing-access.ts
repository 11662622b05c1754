// What to do if the shell names no region or no credentials of AWS.

/** Undefined for a failure with another cause. */
export function missingAccess(error: unknown): string | undefined {
  const text = error instanceof Error ? `${error.name} ${error.message}` : ''
  if (/region is missing/i.test(text)) {
    return 'No AWS region is set. Set AWS_REGION to the region of the stage, or AWS_PROFILE to a profile that has one.'
  }
  if (/CredentialsProviderError|could not load credentials/i.test(text)) {
    return 'No AWS credentials are set. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN, if they are temporary), or AWS_PROFILE to a profile that has some.'
  }
  return undefined
}
