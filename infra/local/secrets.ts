// Secrets of a local run: generated on first use and kept in one private file for later runs.
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import * as z from 'zod/mini'
import { writeJsonAtomically } from './state.ts'
import { parseProperties, type Resource } from './template/template.ts'

const ownerShape = z.object({
  email: z.string(),
  password: z.string(),
  adminToken: z.optional(z.string()),
  userToken: z.optional(z.string()),
})

/** The account of the site's owner. The tokens are missing until the first start has issued them. */
export type Owner = z.infer<typeof ownerShape>

const fileShape = z.object({
  stackId: z.string(),
  secrets: z.record(z.string(), z.string()),
  /** The ids of all versions of secrets that were written, oldest first. */
  versions: z.optional(z.record(z.string(), z.array(z.string()))),
  owner: ownerShape,
})

export type Secrets = {
  /** The UUID in AWS::StackId. Each state has its own. */
  stackId: string
  /** The value of each secret of the template, by logical id. */
  values: Record<string, string>
  /** The id of the version that a secret has. */
  versionOf(id: string): string
  /** False if the version exists with another value, or is not the last one. */
  write(id: string, value: string, version: string): Promise<boolean>
  owner: Owner
  saveOwner(owner: Owner): Promise<void>
}

/** Holds one value for each AWS::SecretsManager::Secret. Without `file` the values are new on every call. */
export async function openSecrets(file: string | undefined, resources: Resource[]): Promise<Secrets> {
  const text = file && (await readFile(file, 'utf8').catch(() => undefined))
  const content = text ? fileShape.parse(JSON.parse(text)) : firstContent()
  for (const resource of resources) content.secrets[resource.id] ??= generate(resource)
  const save = async () => {
    if (file) await writeJsonAtomically(file, content)
  }
  await save()
  const versionsOf = (id: string): string[] => content.versions?.[id] ?? [FIRST_VERSION]
  return {
    stackId: content.stackId,
    values: content.secrets,
    versionOf: id => versionsOf(id).at(-1) ?? FIRST_VERSION,
    async write(id, value, version) {
      const versions = versionsOf(id)
      if (versions.includes(version)) return versions.at(-1) === version && content.secrets[id] === value
      content.secrets[id] = value
      content.versions = { ...content.versions, [id]: [...versions, version] }
      await save()
      return true
    },
    owner: content.owner,
    async saveOwner(owner) {
      content.owner = owner
      await save()
    },
  }
}

const FIRST_VERSION = 'first'

function firstContent(): z.infer<typeof fileShape> {
  return {
    stackId: randomUUID(),
    secrets: {},
    owner: { email: 'owner@example.com', password: randomBytes(15).toString('base64url') },
  }
}

const secretProperties = z.object({
  SecretString: z.optional(z.string()),
  GenerateSecretString: z.optional(
    z.object({
      PasswordLength: z._default(z.coerce.number(), 32),
      ExcludeCharacters: z._default(z.string(), ''),
      ExcludePunctuation: z._default(z.boolean(), false),
      ExcludeLowercase: z._default(z.boolean(), false),
      ExcludeUppercase: z._default(z.boolean(), false),
      ExcludeNumbers: z._default(z.boolean(), false),
      SecretStringTemplate: z.optional(z.string()),
      GenerateStringKey: z.optional(z.string()),
    }),
  ),
})

/** Generates a value by the rules of GenerateSecretString, as AWS::SecretsManager::Secret does. */
function generate(resource: Resource): string {
  const parsed = parseProperties(resource, secretProperties, resource.properties)
  const { SecretString, GenerateSecretString: rules } = parsed
  if (SecretString !== undefined) return SecretString
  if (!rules) return randomBytes(32).toString('base64url')
  const letters = [
    rules.ExcludeLowercase ? '' : 'abcdefghijklmnopqrstuvwxyz',
    rules.ExcludeUppercase ? '' : 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
    rules.ExcludeNumbers ? '' : '0123456789',
    rules.ExcludePunctuation ? '' : '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
  ].join('')
  const allowed = [...letters].filter(letter => !rules.ExcludeCharacters.includes(letter))
  const value = Array.from({ length: rules.PasswordLength }, () => allowed[randomInt(allowed.length)]).join(
    '',
  )
  if (!rules.SecretStringTemplate || !rules.GenerateStringKey) return value
  return JSON.stringify({ ...JSON.parse(rules.SecretStringTemplate), [rules.GenerateStringKey]: value })
}
