// An emulator of SES: saves the mails that functions send, for a person or a test to read.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import * as z from 'zod/mini'
import { listenHidden } from '../addresses.ts'
import type { Log } from '../log.ts'
import { type LocalMail, writeMail } from './mailbox.ts'
import { bounceOf, complaintOf, simulatedEventOf } from './simulator.ts'

/**
 * An error instead of sending; `hangs`: sends, never answers; `breaks`: sends, closes the connection;
 * `bounces`: sends, but there is no such address; `complains`: sends, and the reader marks it as spam.
 */
export type MailFault = { status: number; type: string } | 'hangs' | 'breaks' | 'bounces' | 'complains'

export type Ses = {
  endpoint: string
  /** The sent mails, oldest first. Empty if they are saved to a folder. */
  mails: LocalMail[]
  /** Called before each mail. Tests replace it to simulate faults. */
  faultOf: (mail: LocalMail) => MailFault | undefined
  stop(): Promise<void>
}

const PATH = '/v2/email/outbound-emails'

const ascii = z.string().check(z.regex(/^[!-~]+$/, 'must be in ASCII'))
const oneLine = z.string().check(z.regex(/^[^\r\n]+$/, 'must be one line'))
const content = z.object({ Data: z.string() })
const sendEmail = z.pipe(
  z.object({
    FromEmailAddress: oneLine,
    Destination: z.object({ ToAddresses: z.tuple([ascii]) }),
    Content: z.object({
      Simple: z.object({
        Subject: z.object({ Data: oneLine }),
        Body: z.object({ Text: content, Html: content }),
      }),
    }),
  }),
  z.transform(({ FromEmailAddress, Destination, Content: { Simple } }) => ({
    from: FromEmailAddress,
    to: Destination.ToAddresses[0],
    subject: Simple.Subject.Data,
    text: Simple.Body.Text.Data,
    html: Simple.Body.Html.Data,
  })),
)

export type SesOptions = {
  /** Undefined: mails stay in memory. */
  folder: string | undefined
  /** Takes what SES publishes about a mail that bounced or was marked as spam. */
  publish: (event: object) => Promise<void>
  /** Takes a line for each mail, with its links. */
  log: Log
}

export async function startSes({ folder, publish, log }: SesOptions): Promise<Ses> {
  const server = createServer((request, response) => {
    answer(request, response).catch(error => {
      log(`Cannot save a mail: ${error instanceof Error ? error.message : error}`, 'error')
      fail(response, 500, 'InternalServiceErrorException', 'Cannot save the mail.')
    })
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    if (request.method !== 'POST' || request.url !== PATH) {
      return fail(response, 404, 'NotFoundException', `This emulator supports only POST ${PATH}.`)
    }
    const parsed = sendEmail.safeParse(JSON.parse(body))
    if (!parsed.success) return fail(response, 400, 'BadRequestException', z.prettifyError(parsed.error))
    const id = randomUUID()
    const mail: LocalMail = { id, at: new Date(), ...parsed.data }
    const fault = ses.faultOf(mail)
    if (typeof fault === 'object') {
      return fail(response, fault.status, fault.type, 'Fault of a test.')
    }
    if (folder) {
      await writeMail(folder, mail)
    } else {
      ses.mails.push(mail)
    }
    log(lineOf(mail))
    // Before the answer, so that a service that is idle has no notice to come.
    const event = eventOf(mail, fault)
    if (event) await publish(event)
    if (fault === 'breaks') return void response.destroy()
    if (fault !== 'hangs') send(response, 200, { MessageId: id })
  }

  const ses: Ses = { ...(await listenHidden(server)), mails: [], faultOf: () => undefined }
  return ses
}

function eventOf(mail: LocalMail, fault: MailFault | undefined): object | undefined {
  if (fault === 'bounces') return bounceOf(mail)
  return fault === 'complains' ? complaintOf(mail) : simulatedEventOf(mail)
}

function lineOf({ to, subject, text }: LocalMail): string {
  return `mail to ${to} ${JSON.stringify(subject)}: ${linksIn(text).join(' ')}`
}

export function linksIn(text: string): string[] {
  return text.match(/https?:\/\/\S+/g) ?? []
}

function fail(response: ServerResponse, status: number, type: string, message: string): void {
  response.setHeader('x-amzn-ErrorType', type)
  send(response, status, { message })
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
