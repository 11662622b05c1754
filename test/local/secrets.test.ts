// The secrets of the local run: generated once by the template's rules, and kept in a private file.
import { describe, expect, it } from 'vitest'
import { openSecrets } from '../../infra/local/secrets.ts'
import { modeOf, newStateFolder, openUntilEnd } from './state-world.ts'

describe('openSecrets', () => {
  const secret = (id: string, properties = {}) => ({ id, type: 'AWS::SecretsManager::Secret', properties })

  it('generates one secret per resource and keeps it in a private file', async () => {
    const { secretsFile } = await openUntilEnd(await newStateFolder())
    const first = await openSecrets(secretsFile, [secret('A')])
    await first.saveOwner({ ...first.owner, adminToken: 'token' })
    const second = await openSecrets(secretsFile, [secret('A'), secret('B')])
    expect(second.values.A).toBe(first.values.A)
    expect(second.values.B).not.toBe(first.values.A)
    expect(second.stackId).toBe(first.stackId)
    expect(second.owner).toEqual({ ...first.owner, adminToken: 'token' })
    expect(await modeOf(secretsFile)).toBe('600')
  })

  it('generates secrets by the rules of GenerateSecretString', async () => {
    const rules = { PasswordLength: 64, ExcludePunctuation: true, ExcludeCharacters: 'abc' }
    const member = { SecretStringTemplate: '{"user":"me"}', GenerateStringKey: 'key', ...rules }
    const { values } = await openSecrets(undefined, [
      secret('Plain', { GenerateSecretString: rules }),
      secret('Member', { GenerateSecretString: member }),
    ])
    expect(values.Plain).toMatch(/^[d-zA-Z0-9]{64}$/)
    expect(JSON.parse(values.Member ?? '')).toEqual({
      user: 'me',
      key: expect.stringMatching(/^[d-zA-Z0-9]{64}$/),
    })
  })
})
