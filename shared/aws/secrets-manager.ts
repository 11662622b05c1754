// Reads and writes secrets. A function makes one call per secret, at its start.
import { AwsError, type ClientSettings, openClient } from './client.ts'
import { SECRETS_MANAGER } from './services.ts'

type SecretOperations = {
  GetSecretValue: [{ SecretId: string }, { SecretString?: string; VersionId?: string }]
  PutSecretValue: [{ SecretId: string; SecretString: string; ClientRequestToken: string }, object]
}

/** A version changes with every write. */
export type StoredSecret = { value: string; version: string }

export async function readSecret(settings: ClientSettings, id: string): Promise<StoredSecret> {
  const { SecretString, VersionId = '' } = await open(settings).call('GetSecretValue', { SecretId: id })
  if (SecretString === undefined) throw new Error(`The secret ${id} has no text.`)
  return { value: SecretString, version: VersionId }
}

/** Returns false if the version exists with another value. */
export async function writeSecret(
  settings: ClientSettings,
  id: string,
  { value, version }: StoredSecret,
): Promise<boolean> {
  const input = { SecretId: id, SecretString: value, ClientRequestToken: version }
  try {
    await open(settings).call('PutSecretValue', input)
    return true
  } catch (error) {
    if (error instanceof AwsError && error.name === 'ResourceExistsException') return false
    throw error
  }
}

/** A connection of its own, since the next call comes minutes later. */
function open(settings: ClientSettings) {
  const agent = { keepAlive: false }
  const requestHandler = { ...settings.requestHandler, httpAgent: agent, httpsAgent: agent }
  return openClient<SecretOperations>(SECRETS_MANAGER, { ...settings, requestHandler })
}
