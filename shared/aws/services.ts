// The services that the functions call, and where they are.
import type { ClientSettings, Service } from './client.ts'

export const DYNAMODB: Service = {
  name: 'dynamodb',
  target: 'DynamoDB_20120810',
  contentType: 'application/x-amz-json-1.0',
  endpointVariable: 'AWS_ENDPOINT_URL_DYNAMODB',
}
export const SQS: Service = {
  name: 'sqs',
  target: 'AmazonSQS',
  contentType: 'application/x-amz-json-1.0',
  endpointVariable: 'AWS_ENDPOINT_URL_SQS',
}
export const SECRETS_MANAGER: Service = {
  name: 'secretsmanager',
  target: 'secretsmanager',
  contentType: 'application/x-amz-json-1.1',
  endpointVariable: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
}

type EndpointVariable =
  | Service['endpointVariable']
  | 'AWS_ENDPOINT_URL'
  | 'AWS_USE_FIPS_ENDPOINT'
  | 'AWS_USE_DUALSTACK_ENDPOINT'
type AccessVariable =
  | EndpointVariable
  | `AWS_${'REGION' | 'ACCESS_KEY_ID' | 'SECRET_ACCESS_KEY' | 'SESSION_TOKEN'}`
type Variables<Name extends string> = { [name in Name]?: string | undefined }

/** The ends of host names where regions begin so: for IPv4 alone, and for both stacks. */
const HOST_ENDS: [prefix: string, ipv4: string, dual: string][] = [
  ['cn-', 'amazonaws.com.cn', 'api.amazonwebservices.com.cn'],
  ['eusc-', 'amazonaws.eu', 'api.amazonwebservices.eu'],
  ['', 'amazonaws.com', 'api.aws'],
]

/** Where the SDK's clients would send calls with these variables. */
export function endpointOf(
  { name, endpointVariable }: Service,
  region: string,
  variables: Variables<EndpointVariable>,
): string {
  const own = variables[endpointVariable] || variables.AWS_ENDPOINT_URL
  if (own) return own
  const [, ipv4, dual] = HOST_ENDS.find(([prefix]) => region.startsWith(prefix)) ?? []
  const host = variables.AWS_USE_FIPS_ENDPOINT === 'true' ? `${name}-fips` : name
  return `https://${host}.${region}.${variables.AWS_USE_DUALSTACK_ENDPOINT === 'true' ? dual : ipv4}`
}

/** How a function reaches a service: by the region and the credentials that Lambda gives it. */
export function settingsIn(variables: Variables<AccessVariable>, service: Service): ClientSettings {
  const required = (name: AccessVariable): string => {
    const value = variables[name]
    if (value) return value
    throw new Error(`The function has no ${name} in its environment.`)
  }
  const region = required('AWS_REGION')
  return {
    region,
    endpoint: endpointOf(service, region, variables),
    credentials: {
      accessKeyId: required('AWS_ACCESS_KEY_ID'),
      secretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
      ...(variables.AWS_SESSION_TOKEN && { sessionToken: variables.AWS_SESSION_TOKEN }),
    },
  }
}
