// The secrets of the local run: generated once, kept in a private file, and served like Secrets Manager.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { openSecrets, startSecretsManager } from '../../infra/local/secrets.ts'
import { AwsError } from '../../shared/aws/client.ts'
import { readSecret, writeSecret } from '../../shared/aws/secrets-manager.ts'
import { SECRET_NAMES } from '../../shared/runtime/parameters.ts'
import { newFolder } from '../support/folder.ts'

describe('openSecrets', () => {
  it('generates one long secret of each name', async () => {
    const [one, other] = [await openSecrets(undefined), await openSecrets(undefined)]
    expect(Object.keys(one.values)).toEqual(SECRET_NAMES)
    const all = [...Object.values(one.values), ...Object.values(other.values)]
    expect(new Set(all).size).toBe(2 * SECRET_NAMES.length)
    for (const value of all) expect(value).toMatch(/^[\w-]{64}$/)
  })

  it('keeps the secrets and the owner in a private file', async () => {
    const secretsFile = join(await newFolder(), 'secrets.json')
    const first = await openSecrets(secretsFile)
    await first.saveOwner({ ...first.owner, adminToken: 'token' })
    const second = await openSecrets(secretsFile)
    expect(second.values).toEqual(first.values)
    expect(second.owner).toEqual({ ...first.owner, adminToken: 'token' })
    expect((await stat(secretsFile)).mode & 0o777).toBe(0o600)
  })
})

describe('the emulator of Secrets Manager', () => {
  async function open(file?: string) {
    const secrets = await openSecrets(file)
    const { endpoint, stop } = await startSecretsManager(secrets)
    onTestFinished(stop)
    return { secrets, access: clientSettings(endpoint) }
  }

  it('gives a secret by its name, and an error for another name', async () => {
    const { secrets, access } = await open()
    expect(await readSecret(access, 'PrivateKey')).toEqual({
      value: secrets.values.PrivateKey,
      version: 'first',
    })
    await expect(readSecret(access, 'Other')).rejects.toThrow(
      new AwsError('ResourceNotFoundException', 400, { message: 'There is no secret Other.' }),
    )
  })

  it('keeps a new value of a secret for the next run', async () => {
    const secretsFile = join(await newFolder(), 'secrets.json')
    const { access } = await open(secretsFile)
    await writeSecret(access, 'PrivateKey', { value: 'new', version: 'second' })
    const next = await open(secretsFile)
    expect(await readSecret(next.access, 'PrivateKey')).toEqual({ value: 'new', version: 'second' })
  })

  it('accepts the same write twice, and refuses another value with the same version', async () => {
    const { access } = await open()
    const written = { value: 'new', version: 'second' }
    expect(await writeSecret(access, 'PrivateKey', written)).toBe(true)
    expect(await writeSecret(access, 'PrivateKey', written)).toBe(true)
    expect(await writeSecret(access, 'PrivateKey', { ...written, value: 'other' })).toBe(false)
    expect(await readSecret(access, 'PrivateKey')).toEqual(written)
  })
})
