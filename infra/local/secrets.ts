// What a local run must know again after a restart and nobody else may know: made on first use, kept in one private file.
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

/** The site owner's account; the tokens are missing until they have been made. */
export type Owner = z.infer<typeof ownerShape>

const fileShape = z.object({
  stackId: z.string(),
  secrets: z.record(z.string(), z.string()),
  owner: ownerShape,
})

export type Secrets = {
  /** The UUID in AWS::StackId: one for each state. */
  stackId: string
  /** The value of each secret of the template, by logical id. */
  values: Record<string, string>
  owner: Owner
  saveOwner(owner: Owner): Promise<void>
}

/** One random value for each AWS::SecretsManager::Secret; `file` undefined: new ones each time. */
export async function openSecrets(file: string | undefined, resources: Resource[]): Promise<Secrets> {
  const text = file && (await readFile(file, 'utf8').catch(() => undefined))
  const kept = text ? fileShape.parse(JSON.parse(text)) : firstContent()
  for (const resource of resources) kept.secrets[resource.id] ??= generate(resource)
  const save = async () => {
    if (file) await writeJsonAtomically(file, kept)
  }
  await save()
  return {
    stackId: kept.stackId,
    values: kept.secrets,
    owner: kept.owner,
    async saveOwner(owner) {
      kept.owner = owner
      await save()
    },
  }
}

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

/** As AWS::SecretsManager::Secret makes it: GenerateSecretString's rules, a member of a template where it asks for one. */
function generate(resource: Resource): string {
  const given = parseProperties(resource, secretProperties, resource.properties)
  const { SecretString, GenerateSecretString: rules } = given
  if (SecretString !== undefined) return SecretString
  if (!rules) return randomBytes(32).toString('base64url')
  const letters = [
    rules.ExcludeLowercase ? '' : 'abcdefghijklmnopqrstuvwxyz',
    rules.ExcludeUppercase ? '' : 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
    rules.ExcludeNumbers ? '' : '0123456789',
    rules.ExcludePunctuation ? '' : '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
  ].join('')
  const allowed = [...letters].filter(letter => !rules.ExcludeCharacters.includes(letter))
  const made = Array.from({ length: rules.PasswordLength }, () => allowed[randomInt(allowed.length)]).join('')
  if (!rules.SecretStringTemplate || !rules.GenerateStringKey) return made
  return JSON.stringify({ ...JSON.parse(rules.SecretStringTemplate), [rules.GenerateStringKey]: made })
}
