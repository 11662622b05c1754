// The secrets of the target, in Secrets Manager or in its emulator.
import { AwsError, type ClientSettings } from '../../shared/aws/client.ts'
import { readSecret, type StoredSecret, writeSecret } from '../../shared/aws/secrets-manager.ts'
import { OperatorError } from './operator-error.ts'

export type TargetSecret = {
  read: () => Promise<StoredSecret>
  /** Returns false if the version exists with another value. */
  write: (secret: StoredSecret) => Promise<boolean>
}

/** How secrets are reached. Resolved on first use, since most commands need none. */
export type OpenSecrets = () => Promise<ClientSettings>

/** Throws OperatorError if the secret cannot be read or written. */
export function targetSecret(open: OpenSecrets, id: string): TargetSecret {
  const refused = (verb: string, action: string) => (error: unknown) => {
    if (!(error instanceof AwsError)) throw error
    throw new OperatorError(
      `The secret ${id} cannot be ${verb} (${error.name}). Allow secretsmanager:${action} on it.`,
    )
  }
  return {
    read: async () => await readSecret(await open(), id).catch(refused('read', 'GetSecretValue')),
    write: async secret =>
      await writeSecret(await open(), id, secret).catch(refused('written', 'PutSecretValue')),
  }
}
