// Runs the smoke test's function against gateways that a test opens.
import type { RequestListener } from 'node:http'
import { beforeEach, onTestFinished } from 'vitest'
import { use } from '../world/use.ts'
import { openCloudFormation } from './cloudformation.ts'
import { openRelease } from './release.ts'
import { openServer } from './server.ts'

export const REQUESTS = ['posts', 'system', 'me', 'contact', 'site'].map(name => ({
  Function: name,
  Method: 'GET',
  Path: `/api/v1/${name}`,
  LogGroup: `log of ${name}`,
}))

export const GOOD = '{"success":true,"message":"Posts.","data":[]}'

type Properties = { Requests?: typeof REQUESTS; LimitSeconds?: string; ConnectTo?: string }

export function useSmokeTest() {
  const cloudFormation = use(openCloudFormation)
  const release = use(() => openRelease(cloudFormation))
  beforeEach(() => cloudFormation.setStatus('UPDATE_IN_PROGRESS'))

  /** Returns the answer to CloudFormation. */
  const test = async (
    BaseUrl: string,
    properties: Properties = {},
  ): Promise<Record<string, unknown> | undefined> => {
    await release.run(
      cloudFormation.event('Update', {
        ServiceToken: 'an arn',
        BaseUrl,
        AccessLogGroup: 'access log',
        Requests: REQUESTS.slice(0, 1),
        LimitSeconds: '100',
        PausesSeconds: ['0.01', '0.01'],
        Release: 'a hash',
        ...properties,
      }),
    )
    return cloudFormation.answers()[0]?.body
  }
  return { release, test }
}

/** Stops after its test. */
export async function openGateway(listener: RequestListener) {
  const server = await openServer(listener)
  onTestFinished(server.stop)
  return server
}

export function answering(status: number, body: string): RequestListener {
  return (_, response) => response.writeHead(status).end(body)
}
