// CloudFormation for the smoke test's function: the status of the stack, and a URL for the answer.

import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { openServer } from './server.ts'

export type CloudFormation = Awaited<ReturnType<typeof openCloudFormation>>

const STACK_ID = 'arn:aws:cloudformation:us-east-1:000000000000:stack/ContentService-live/0b1c2d3e'
export const SIGNATURE = 'the-secret-of-the-presigned-url'

type Answer = { headers: IncomingHttpHeaders; path: string; body: Record<string, unknown> }

function description(status: string): string {
  return `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult>
    <Stacks><member><StackName>ContentService-live</StackName><StackId>${STACK_ID}</StackId>
    <CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>${status}</StackStatus></member></Stacks>
    </DescribeStacksResult></DescribeStacksResponse>`
}

const DENIED = `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error><Type>Sender</Type>
  <Code>AccessDenied</Code><Message>not authorized</Message></Error></ErrorResponse>`

export async function openCloudFormation() {
  /** The stacks whose status was read. */
  const described: (string | null)[] = []
  const answers: Answer[] = []
  let status: string | undefined = 'UPDATE_IN_PROGRESS'
  let refusals = 0
  const server = await openServer(async (request, response) => {
    const body = await text(request)
    if (request.method === 'PUT') {
      if (refusals-- > 0) return response.writeHead(503).end()
      answers.push({ headers: request.headers, path: request.url ?? '', body: JSON.parse(body) })
      return response.end()
    }
    described.push(new URLSearchParams(body).get('StackName'))
    response.writeHead(status === undefined ? 403 : 200, { 'Content-Type': 'text/xml' })
    return response.end(status === undefined ? DENIED : description(status))
  })

  return {
    ...server,
    described,
    /** The answers since the last call. */
    answers: () => answers.splice(0),
    /** Undefined: the function may not read it. */
    setStatus: (next: string | undefined) => {
      status = next
    },
    /** The next answers are not taken. */
    refuse: (count: number) => {
      refusals = count
    },
    event: (RequestType: 'Create' | 'Update' | 'Delete', ResourceProperties: unknown) => ({
      RequestType,
      ResponseURL: `${server.url}/answer?X-Amz-Signature=${SIGNATURE}`,
      StackId: STACK_ID,
      RequestId: 'request 1',
      ResourceType: 'Custom::SmokeTest',
      LogicalResourceId: 'SmokeTest',
      ...(RequestType !== 'Create' && { PhysicalResourceId: 'smoke-test' }),
      ResourceProperties,
    }),
  }
}
