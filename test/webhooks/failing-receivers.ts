// A receiver, or a URL, for each error with which a delivery can end.
import type { ERRORS } from '../../shared/webhooks/fields.ts'
import type { openRecorder } from './recording.ts'
import { closedPort, httpsSubscriber } from './servers.ts'

type ErrorCode = (typeof ERRORS)[number]

type Failure = {
  url: string
  /** Whether the request arrives at the recorder. */
  arrives: boolean
  /** The API refuses the URL, which an older version or other settings allowed. */
  isRefused?: true
}

/** Longer than a label of a name may be, so that no name server is asked. */
const NO_NAME = `${'a'.repeat(64)}.invalid`

/** All but `interrupted`, which takes a kill (test/process). */
export const FAILURES: Record<
  Exclude<ErrorCode, 'interrupted'>,
  (url: Awaited<ReturnType<typeof openRecorder>>['url']) => Failure[] | Promise<Failure[]>
> = {
  blocked_address: () => [{ url: 'http://10.0.0.1/', arrives: false, isRefused: true }],
  connection: async url => [
    { url: url('drop'), arrives: true },
    { url: `http://127.0.0.1:${await closedPort()}/`, arrives: false },
  ],
  dns: () => [{ url: `http://${NO_NAME}/`, arrives: false }],
  invalid_request: () => [{ url: 'ftp://127.0.0.1/', arrives: false, isRefused: true }],
  protocol: url => [{ url: url('garbage'), arrives: true }],
  redirect: url => [{ url: url('302'), arrives: true }],
  status: url => [{ url: url('500'), arrives: true }],
  timeout: url => [{ url: url('hang'), arrives: true }],
  tls: async () => {
    const { port } = await httpsSubscriber((_request, response) => response.end())
    return [{ url: `https://localhost:${port}/`, arrives: false }]
  },
}
