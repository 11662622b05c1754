// Hands a mail to SES: one attempt within one deadline, never retried here, and never throwing.
import {
  SESv2Client,
  type SESv2ClientConfig,
  SESv2ServiceException,
  SendEmailCommand,
} from '@aws-sdk/client-sesv2'
import { asciiEmail } from '../http/email.ts'
import { type Environment, required } from '../runtime/environment.ts'
import type { Mail } from './mail.ts'

const TIMEOUT_MS = 10_000

type Attempt = {
  /** `not_taken`: SES did not accept it, a retry may succeed. `unknown`: SES may have accepted it. */
  outcome: 'sent' | 'no_sender' | 'rejected' | 'not_taken' | 'unknown'
  /** The name of the error. Its message may contain the address. */
  reason?: string
}
export type MailTransport = (mail: Mail, access: SesAccess) => Promise<Attempt>

/** The variables of a function by which it calls SES. */
type SesAccess = Pick<
  Environment,
  | 'MAIL_SENDER'
  | 'MAIL_CONFIGURATION_SET'
  | 'AWS_ENDPOINT_URL_SESV2'
  | 'AWS_REGION'
  | 'AWS_ACCESS_KEY_ID'
  | 'AWS_SECRET_ACCESS_KEY'
>

/** Where another endpoint replaces that of AWS, its credentials are in the environment. */
function configOf(access: SesAccess): SESv2ClientConfig {
  const endpoint = access.AWS_ENDPOINT_URL_SESV2
  if (endpoint === undefined) return {}
  const credentials = {
    accessKeyId: required(access, 'AWS_ACCESS_KEY_ID'),
    secretAccessKey: required(access, 'AWS_SECRET_ACCESS_KEY'),
  }
  return { endpoint, region: required(access, 'AWS_REGION'), credentials }
}

/** Errors that a retry cannot solve. */
const PERMANENT_ERRORS = new Set(['MessageRejected', 'BadRequestException'])
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/**
 * Without retries of the SDK, which could send twice, and without kept connections: one that broke while the
 * function was frozen would turn the next mail into an `unknown`.
 */
export function openTransport(timeoutMs = TIMEOUT_MS): MailTransport {
  const agent = { keepAlive: false, maxSockets: Number.POSITIVE_INFINITY }
  const requestHandler = { httpAgent: agent, httpsAgent: agent }
  return async ({ to, subject, text, html }, access) => {
    if (access.MAIL_SENDER === '') return { outcome: 'no_sender' }
    const command = new SendEmailCommand({
      FromEmailAddress: access.MAIL_SENDER,
      ConfigurationSetName: access.MAIL_CONFIGURATION_SET,
      Destination: { ToAddresses: [asciiEmail(to)] },
      Content: {
        Simple: {
          Subject: inUtf8(subject),
          Body: { Text: inUtf8(text), Html: inUtf8(html) },
        },
      },
    })
    try {
      const client = new SESv2Client({ ...configOf(access), maxAttempts: 1, requestHandler })
      await client.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) })
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
    // After a 4xx the mail was certainly not accepted; after a 5xx it may have been.
    const status = error.$metadata.httpStatusCode ?? 500
    return { outcome: status < 500 ? 'not_taken' : 'unknown', reason }
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return { outcome: NEVER_CONNECTED.has(code) ? 'not_taken' : 'unknown', reason: code || reason }
}
