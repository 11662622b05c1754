// Failed answers of the table, as a server plays them.
import type { Played } from './both-clients.ts'

export function failure(status: number, type: string, more: object = {}): Played {
  const __type = `com.amazonaws.dynamodb.v20120810#${type}`
  return { status, body: JSON.stringify({ __type, message: `${type} of this test`, ...more }) }
}

export const FAILURES: Record<string, Played> = {
  'a failed condition': failure(400, 'ConditionalCheckFailedException', {
    Item: { pk: { S: 'a' }, n: { N: '1' }, list: { L: [{ BOOL: true }] } },
  }),
  'a cancelled transaction': failure(400, 'TransactionCanceledException', {
    CancellationReasons: [
      { Code: 'None' },
      { Code: 'ConditionalCheckFailed', Message: 'failed', Item: { pk: { S: 'a' } } },
      { Code: 'TransactionConflict' },
    ],
  }),
  'a conflict': failure(400, 'TransactionConflictException'),
  'a repeated token': failure(400, 'IdempotentParameterMismatchException'),
  throttling: failure(400, 'ProvisionedThroughputExceededException'),
  'another throttling': failure(400, 'ThrottlingException', { throttlingReasons: [] }),
  'an invalid request': failure(400, 'ValidationException'),
  'a missing permission': failure(400, 'AccessDeniedException'),
  'an unknown error': failure(400, 'SomethingNewException', { More: 1 }),
  'an error in a header': { status: 400, headers: { 'x-amzn-errortype': 'ResourceNotFoundException:' } },
  'an internal error': failure(500, 'InternalServerError'),
  'an unavailable service': { status: 503, body: '<html>Service Unavailable</html>' },
  'an empty failure': { status: 502, body: '' },
  'a redirection': { status: 307, headers: { location: 'https://elsewhere.example/' } },
  'an answer that is no JSON': { status: 200, body: '{"Item":' },
  'an answer of HTML': { status: 200, body: '<html></html>' },
  'an unknown attribute': { status: 200, body: '{"Item":{"a":{"X":"1"}}}' },
  'an answer without a list': { status: 200, body: '{"Item":[]}' },
  'an answer that breaks off': {
    status: 200,
    body: `{"Item":{"a":{"S":"${'x'.repeat(100_000)}"}}}`,
    breaks: true,
  },
  'a failure that breaks off': { status: 500, body: '{"__type":"InternalServerError"}', breaks: true },
  'a closed connection': 'closes',
}
