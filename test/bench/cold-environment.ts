// The environment of a function that starts: a table and Secrets Manager, which its init reads.
import { clientSettings } from '../../infra/local/account.ts'
import { openSecrets, startSecretsManager } from '../../infra/local/secrets.ts'
import { SECRET_VARIABLES } from '../../shared/runtime/secret-names.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import { startTable } from '../world/table.ts'

type Variables = Record<string, string | undefined>

export async function openColdEnvironment() {
  const { endpoint, tableName, stop: stopTable } = await startTable()
  const secrets = await openSecrets(undefined)
  let readCount = 0
  const versionOf = (id: string) => {
    readCount++
    return secrets.versionOf(id)
  }
  const manager = await startSecretsManager({ ...secrets, versionOf })
  const { credentials, region, endpoint: tableUrl } = clientSettings(endpoint)
  const needs = new Map(Object.entries({ ...API_FUNCTIONS, ...QUEUE_WORKERS, ...SCHEDULED_WORKERS }))

  const secretsOf = (name: string) => needs.get(name)?.secrets ?? []

  /** As infra/functions.ts sets it: the ids of the secrets that the function reads, and no key. */
  function variablesOf(name: string): Variables {
    return {
      PATH: process.env.PATH,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: tableUrl,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: manager.endpoint,
      AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
      TABLE_NAME: tableName,
      SITE_URL: 'https://site.example',
      ...Object.fromEntries(secretsOf(name).map(secret => [`${SECRET_VARIABLES[secret]}_SECRET`, secret])),
    }
  }

  /** An init that could not read goes on silently. Throws if these functions have not read their secrets. */
  function expectReads(names: string[], times: number): void {
    const expected = times * names.reduce((sum, name) => sum + secretsOf(name).length, 0)
    if (readCount !== expected) throw new Error(`${readCount} of ${expected} secrets were read.`)
  }

  async function stop(): Promise<void> {
    await manager.stop()
    await stopTable()
  }
  return { variablesOf, expectReads, stop }
}
