// What to do if the shell names no region or no credentials of AWS, or expired ones.

/** Undefined for a failure with another cause. */
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
