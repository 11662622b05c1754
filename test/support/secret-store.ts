// An emulator of Secrets Manager with the secrets of the functions, which counts how often they are read.
import { openSecrets, startSecretsManager } from '../../infra/local/secrets.ts'
import { rotated, slotsIn } from '../../shared/aws/secret-value.ts'
import { SECRET_NAMES, SECRET_VARIABLES, type SecretName } from '../../shared/runtime/parameters.ts'

export async function openSecretStore() {
  const secrets = await openSecrets(undefined)
  const reads: string[] = []
  const { endpoint, stop } = await startSecretsManager({
    ...secrets,
    versionOf: id => {
      reads.push(id)
      return secrets.versionOf(id)
    },
  })
  return {
    /** For functions that read their secrets here. */
    environment: {
      ...Object.fromEntries(SECRET_NAMES.map(name => [`${SECRET_VARIABLES[name]}_SECRET`, name])),
      AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    },
    value: (name: SecretName) => secrets.values[name] ?? '',
    rotate: (name: SecretName, nowSeconds: number) => {
      secrets.values[name] = JSON.stringify(rotated(slotsIn(secrets.values[name] ?? ''), nowSeconds))
    },
    /** How often each secret was read since the last call of this. */
    readsSince: () =>
      Object.fromEntries(
        Object.entries(Object.groupBy(reads.splice(0), id => id)).map(([id, all]) => [id, all?.length]),
      ),
    stop,
  }
}
