// The mail worker in this process, on its own table, with a fixed clock and the local SES.
import * as z from 'zod/mini'
import { workOff } from '../../functions/jobs.ts'
import { clientSettings, REGION } from '../../infra/local/account.ts'
import { inEnvelope, startSes } from '../../infra/local/mail/ses.ts'
import { createUser } from '../../shared/accounts/commands/users.ts'
import type { MailMessage, SesNotice } from '../../shared/events/message.ts'
import { openSqs } from '../../shared/events/sqs.ts'
import { consume } from '../../shared/lambda/consume.ts'
import { orderMail } from '../../shared/mail/mail.ts'
import { openTransport } from '../../shared/mail/transport.ts'
import type { Tally } from '../../shared/metrics/tally.ts'
import { readEnvironment } from '../../shared/runtime/environment.ts'
import { type Runtime, withRuntime } from '../../shared/runtime/runtime.ts'
import { mailKey } from '../../shared/table/design.ts'
import { ConnectionClosed, failure, type Interceptor, startCallProxy } from '../support/faults/call-proxy.ts'
import { injectFaults } from '../support/faults.ts'
import { mailIn } from '../support/mail.ts'
import { newTable } from '../support/new-table.ts'
import { batchOf } from '../support/queue.ts'

export const KEY = 'the key of client addresses'
export const PRIVATE_KEY = 'the key of links in mails'
/** The worker's timeout for SES in these tests. */
const TIMEOUT_MS = 1_500

/** The variables of a function that calls the SES of a test. */
export function sesAccessAt(endpoint: string) {
  return {
    AWS_ENDPOINT_URL_SESV2: endpoint,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  }
}

const MailStatus = z.looseObject({ status: z.string() })

/** An order of a mail, or a notice of SES as SNS sends it. */
type Received = MailMessage | (SesNotice & { Type: string })

/** An error instead of sending; `hangs`: sends, never answers; `breaks`: sends, closes the connection. */
type MailFault = { status: number; type: string } | 'hangs' | 'breaks'

function meeting(faults: MailFault[]): Interceptor {
  return async (call, next) => {
    const fault = faults.shift()
    if (typeof fault === 'object') return failure(fault.status, fault.type)
    const answer = await next(call)
    if (fault === 'breaks') throw new ConnectionClosed()
    return fault === 'hangs' ? new Promise(() => {}) : answer
  }
}

export async function openMailWorld({ folder, ...variables }: Record<string, string> = {}) {
  const sesLog: string[] = []
  let publish = async (_event: object): Promise<void> => undefined
  const [{ table, client, stop }, ses] = await Promise.all([
    newTable(),
    startSes({ folder, publish: event => publish(event), log: line => sesLog.push(line) }),
  ])
  const faults: MailFault[] = []
  const proxy = await startCallProxy(ses.endpoint, meeting(faults))
  const clock = { nowMs: Date.parse('2026-01-01T12:00:00.250Z') }
  const logged: string[] = []
  const tallies: (Tally | undefined)[] = []
  const runtime: Runtime = {
    environment: readEnvironment({
      TABLE_NAME: 'test',
      SITE_URL: 'https://service.example',
      CLIENT_KEY: KEY,
      PRIVATE_KEY,
      MAIL_SENDER: 'content@site.example',
      ...variables,
    }),
    table,
    sqs: openSqs(clientSettings('http://127.0.0.1:9')),
    sender: { send: async messages => messages.map(() => ({ ok: true })) },
    clock: () => clock.nowMs,
    log: (level, message, details, tally) => {
      logged.push(JSON.stringify({ level, message, ...details }))
      tallies.push(tally)
    },
  }
  /** Processes an order or a notice once. Returns false if it must be delivered again. */
  const receiveAt = async (endpoint: string, message: Received): Promise<boolean> => {
    const environment = { ...runtime.environment, ...sesAccessAt(endpoint) }
    const handler = consume('jobs', workOff(openTransport(TIMEOUT_MS)))
    const answer = await withRuntime({ ...runtime, environment }, () => handler(batchOf(message)))
    return answer.batchItemFailures.length === 0
  }
  const receive = (message: Received) => receiveAt(proxy.endpoint, message)
  /** As SES publishes it: the notice is in the envelope of SNS. */
  const notify = (event: object) => receive(inEnvelope(event))
  publish = async event => {
    if (!(await notify(event))) throw new Error('The notice of the mailbox simulator was not read.')
  }

  let users = 0
  return {
    table,
    clock,
    logged,
    /** The metrics of each line in `logged`. */
    tallies,
    /** The log of the local SES. */
    sesLog,
    ...injectFaults(client),
    receiveAt,
    receive,
    notify,
    /** How SES answers the next mails in order; afterwards it accepts them. */
    willAnswer: (...next: MailFault[]) => void faults.splice(0, faults.length, ...next),
    user: (name = 'Ada', email = `ada${++users}@example.com`) =>
      createUser(
        table,
        { name, email, email_verified: false, password_hash: null },
        Math.floor(clock.nowMs / 1000),
      ),
    order: (order: Parameters<typeof orderMail>[0]): MailMessage => orderMail(order, clock.nowMs).body,
    statusOf: async ({ id }: MailMessage) => (await table.find(mailKey(id), MailStatus))?.status,
    mailsTo: (address: string) => ses.mails.filter(({ to }) => to === address),
    mailTo: mailIn(ses.mails),
    stop: async () => {
      await Promise.all([stop(), ses.stop(), proxy.stop()])
    },
  }
}

export type MailWorld = Awaited<ReturnType<typeof openMailWorld>>
