// What a deployment would drop that is hard to get back: by the deployed template and the next one.
import * as z from 'zod/mini'

const Resource = z.object({
  Type: z.string(),
  Properties: z._default(z.record(z.string(), z.unknown()), {}),
})
export const Template = z.object({ Resources: z.record(z.string(), Resource) })
export type Template = z.infer<typeof Template>
type Resource = z.infer<typeof Resource>

type GuardedType = {
  /** What the resource is, for people. */
  nameOf: (id: string, resource: Resource) => string
  /** CloudFormation replaces the resource if these change. */
  identity: string[]
  consequence: string
}

const GUARDED: Record<string, GuardedType> = {
  'AWS::DynamoDB::GlobalTable': {
    nameOf: () => 'the table',
    identity: ['TableName', 'KeySchema'],
    consequence: 'the service would start with an empty one',
  },
  'AWS::SecretsManager::Secret': {
    nameOf: id => `the secret ${plain(id)}`,
    identity: ['Name'],
    consequence: 'what is stored under it could not be read any more',
  },
  'AWS::Backup::BackupPlan': {
    nameOf: () => 'the daily backups',
    identity: [],
    consequence: 'only those that exist would be kept, until their days are over',
  },
  'AWS::ApiGateway::DomainName': {
    nameOf: (_, { Properties }) => `the domain ${String(Properties.DomainName)}`,
    identity: ['DomainName'],
    consequence: 'requests to it would fail',
  },
  'AWS::WAFv2::WebACLAssociation': {
    nameOf: () => 'the shield',
    identity: [],
    consequence: 'its rule would not hold back a flood',
  },
}

/** A sentence for each drop, by what it is: a removed or replaced resource, or the protection of the data. */
export function dropsOf(deployed: Template, next: Template): string[] {
  const dropped = Object.entries(deployed.Resources).flatMap(([id, resource]) => {
    const guarded = GUARDED[resource.Type]
    if (!guarded || isKept(resource, next.Resources[id], guarded)) return []
    return [`It would drop ${guarded.nameOf(id, resource)}: ${guarded.consequence}.`]
  })
  const isUnprotected = isProtected(deployed) && !isProtected(next)
  return isUnprotected ? [...dropped, 'It would drop the point-in-time recovery of the table.'] : dropped
}

function isKept(before: Resource, after: Resource | undefined, { identity }: GuardedType): boolean {
  return (
    before.Type === after?.Type &&
    identity.every(name => JSON.stringify(before.Properties[name]) === JSON.stringify(after.Properties[name]))
  )
}

function isProtected({ Resources }: Template): boolean {
  const tables = Object.values(Resources).filter(({ Type }) => Type === 'AWS::DynamoDB::GlobalTable')
  return tables.some(({ Properties }) =>
    JSON.stringify(Properties.Replicas).includes('"PointInTimeRecoveryEnabled":true'),
  )
}

/** Without the digits that the CDK adds to an id. */
function plain(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '')
}
