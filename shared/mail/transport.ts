// One attempt to hand a mail to SES, within one deadline, never repeated here and never throwing.
import {
  SESv2Client,
  type SESv2ClientConfig,
  SESv2ServiceException,
  SendEmailCommand,
} from '@aws-sdk/client-sesv2'
import type { Mail } from './mail.ts'

const TIMEOUT_MS = 10_000

export type Attempt = {
  /** `not_taken`: SES said so, or was never reached; later it may be. `unknown`: it may have been taken. */
  outcome: 'sent' | 'rejected' | 'not_taken' | 'unknown'
  /** The name of an error without its message, which may hold the address. */
  reason?: string
}
export type MailTransport = (
  mail: Mail,
  from: { sender: string; configurationSet: string | undefined },
) => Promise<Attempt>

type TransportOptions = {
  /** Undefined: as the environment says. */
  clientConfig?: Pick<SESv2ClientConfig, 'endpoint' | 'region' | 'credentials'>
  timeoutMs?: number
}

/** It would be refused the next time, too. */
const PERMANENT_ERRORS = new Set(['MessageRejected', 'BadRequestException'])
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/**
 * No retries of the SDK's, which could send twice; no connection that is kept, since one that broke while the
 * function was frozen would make an `unknown` of the next mail.
 */
export function openTransport({
  clientConfig = {},
  timeoutMs = TIMEOUT_MS,
}: TransportOptions = {}): MailTransport {
  const agent = { keepAlive: false, maxSockets: Number.POSITIVE_INFINITY }
  const requestHandler = { httpAgent: agent, httpsAgent: agent }
  // Made on first use, as the clients of other services are.
  let ses: SESv2Client | undefined
  return async ({ to, subject, text, html }, { sender, configurationSet }) => {
    const command = new SendEmailCommand({
      FromEmailAddress: sender,
      ConfigurationSetName: configurationSet,
      Destination: { ToAddresses: [to] },
      Content: {
        Simple: {
          Subject: inUtf8(subject),
          Body: { Text: inUtf8(text), Html: inUtf8(html) },
        },
      },
    })
    try {
      ses ??= new SESv2Client({ ...clientConfig, maxAttempts: 1, requestHandler })
      await ses.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) })
      return { outcome: 'sent' }
    } catch (error) {
      return failedAttempt(error)
    }
  }
}

function inUtf8(Data: string) {
  return { Data, Charset: 'UTF-8' }
}

function failedAttempt(error: unknown): Attempt {
  const reason = error instanceof Error ? error.name : 'unknown'
  if (error instanceof SESv2ServiceException) {
    if (PERMANENT_ERRORS.has(reason)) return { outcome: 'rejected', reason }
    // Any answer of the 400s says that it was not taken; of the 500s nobody knows.
    const status = error.$metadata.httpStatusCode ?? 500
    return { outcome: status < 500 ? 'not_taken' : 'unknown', reason }
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return { outcome: NEVER_CONNECTED.has(code) ? 'not_taken' : 'unknown', reason: code || reason }
}
