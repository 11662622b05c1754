// Reads a secret of a deployed stage, with the credentials and the region of the shell. It is one call of
// Secrets Manager, for which the project has no package.
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import * as z from 'zod/mini'
import { openSigner } from '../../shared/aws/signature.ts'
import { OperatorError } from './operator-error.ts'

const Answer = z.object({ SecretString: z.string() })
const Failure = z.object({ __type: z._default(z.string(), 'an unknown error') })

const TIMEOUT_MS = 10_000

/** `client` has the region and the credentials. Throws OperatorError if the secret cannot be read. */
export async function readStageSecret({ config }: CloudFormationClient, arn: string): Promise<string> {
  const [region, credentials] = await Promise.all([config.region(), config.credentials()])
  const url = new URL(
    process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? `https://secretsmanager.${region}.amazonaws.com/`,
  )
  const body = JSON.stringify({ SecretId: arn })
  const sign = openSigner({ region, service: 'secretsmanager' })
  const named = {
    host: url.host,
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': 'secretsmanager.GetSecretValue',
  }
  const headers = sign(named, body, credentials, new Date())
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const answer: unknown = await response.json()
  if (response.ok) return Answer.parse(answer).SecretString
  throw new OperatorError(
    `The secret ${arn} cannot be read (${Failure.parse(answer).__type}). Allow secretsmanager:GetSecretValue on it.`,
  )
}
