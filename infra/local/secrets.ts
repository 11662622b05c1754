// Secrets of a local run: generated on first use, kept in one private file, and served as by Secrets Manager.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import * as z from 'zod/mini'
import { SECRET_NAMES } from '../../shared/runtime/parameters.ts'
import { Refusal, serveJson } from './json-server.ts'
import { writeJsonAtomically } from './state.ts'

const ownerShape = z.object({
  email: z.string(),
  password: z.string(),
  adminToken: z.optional(z.string()),
  userToken: z.optional(z.string()),
})

/** The account of the site's owner. The tokens are missing until the first start has issued them. */
export type Owner = z.infer<typeof ownerShape>

const fileShape = z.object({
  secrets: z.record(z.string(), z.string()),
  /** The ids of the versions of secrets that were written. */
  versions: z.optional(z.record(z.string(), z.string())),
  owner: ownerShape,
})

export type Secrets = {
  /** The value of each secret, by its name. */
  values: Record<string, string>
  /** The id of the version that a secret has. */
  versionOf(id: string): string
  /** False if the secret has this version with another value. */
  write(id: string, value: string, version: string): Promise<boolean>
  owner: Owner
  saveOwner(owner: Owner): Promise<void>
}

/** Holds one value for each secret of the service. Without `file` the values are new on every call. */
export async function openSecrets(file: string | undefined): Promise<Secrets> {
  const text = file && (await readFile(file, 'utf8').catch(() => undefined))
  const content = text ? fileShape.parse(JSON.parse(text)) : firstContent()
  for (const name of SECRET_NAMES) content.secrets[name] ??= randomBytes(KEY_BYTES).toString('base64url')
  const save = async () => {
    if (file) await writeJsonAtomically(file, content)
  }
  await save()
  const versionOf = (id: string): string => content.versions?.[id] ?? 'first'
  return {
    values: content.secrets,
    versionOf,
    async write(id, value, version) {
      if (versionOf(id) === version) return content.secrets[id] === value
      content.secrets[id] = value
      content.versions = { ...content.versions, [id]: version }
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

const KEY_BYTES = 48

function firstContent(): z.infer<typeof fileShape> {
  return {
    secrets: {},
    owner: { email: 'owner@example.com', password: randomBytes(15).toString('base64url') },
  }
}

const GetInput = z.object({ SecretId: z.string() })
const PutInput = z.object({ SecretId: z.string(), SecretString: z.string(), ClientRequestToken: z.string() })

/** For functions and the operator, which read and write the secrets as in the cloud. */
export function startSecretsManager(secrets: Secrets) {
  return serveJson(async (request, body) => {
    const { SecretId: id } = GetInput.parse(body)
    const value = secrets.values[id]
    if (value === undefined) throw new Refusal('ResourceNotFoundException', `There is no secret ${id}.`)
    if (request.headers['x-amz-target'] === 'secretsmanager.GetSecretValue') {
      return { ARN: id, SecretString: value, VersionId: secrets.versionOf(id) }
    }
    const { SecretString, ClientRequestToken: version } = PutInput.parse(body)
    if (!(await secrets.write(id, SecretString, version))) {
      throw new Refusal('ResourceExistsException', `The version ${version} exists with another value.`)
    }
    return { ARN: id, VersionId: version }
  })
}
