// The secrets of the target, in Secrets Manager or in its emulator.
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import {
  readSecret,
  type SecretsAccess,
  SecretsError,
  type StoredSecret,
  writeSecret,
} from '../../shared/aws/secrets-manager.ts'
import { clientSettings } from '../local/account.ts'
import { OperatorError } from './operator-error.ts'

export type TargetSecret = {
  read: () => Promise<StoredSecret>
  /** Returns false if the version exists with another value. */
  write: (secret: StoredSecret) => Promise<boolean>
}

/** How secrets are reached. Resolved on first use, since most commands need none. */
export type OpenSecrets = () => Promise<SecretsAccess>

const TIMEOUT_MS = 10_000

/** With the credentials and the region of the shell, which `client` has. */
export async function stageAccess({ config }: CloudFormationClient): Promise<SecretsAccess> {
  const [region, credentials] = await Promise.all([config.region(), config.credentials()])
  const endpoint = process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? process.env.AWS_ENDPOINT_URL
  return { endpoint, region, credentials, timeoutMs: TIMEOUT_MS }
}

export function localAccess(endpoint: string): SecretsAccess {
  return { ...clientSettings(endpoint), timeoutMs: TIMEOUT_MS }
}

/** Throws OperatorError if the secret cannot be read or written. */
export function targetSecret(open: OpenSecrets, id: string): TargetSecret {
  const refused = (verb: string, action: string) => (error: unknown) => {
    if (!(error instanceof SecretsError)) throw error
    throw new OperatorError(
      `The secret ${id} cannot be ${verb} (${error.type}). Allow secretsmanager:${action} on it.`,
    )
  }
  return {
    read: async () => await readSecret(await open(), id).catch(refused('read', 'GetSecretValue')),
    write: async secret => {
      try {
        await writeSecret(await open(), id, secret)
        return true
      } catch (error) {
        if (error instanceof SecretsError && error.type === 'ResourceExistsException') return false
        return refused('written', 'PutSecretValue')(error)
      }
    },
  }
}
