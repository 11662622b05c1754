// SES on this machine: takes the mails that functions send and puts them where a person, or a test, finds them.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import * as z from 'zod/mini'
import { openDoorTo } from '../door/door.ts'
import type { Log } from '../log.ts'
import { type LocalMail, writeMail } from './mailbox.ts'

/** What SES answers instead of taking a mail; `hangs`: it takes it and never answers; `breaks`: it hangs up. */
export type MailFault = { status: number; type: string } | 'hangs' | 'breaks'

export type Ses = {
  endpoint: string
  /** Those that were taken, oldest first, unless they went to a folder. */
  mails: LocalMail[]
  /** Asked before each mail: tests let it refuse some. */
  faultOf: (mail: LocalMail) => MailFault | undefined
  stop(): Promise<void>
}

const PATH = '/v2/email/outbound-emails'

const oneLine = z.string().check(z.regex(/^[^\r\n]+$/, 'a header has one line'))
const content = z.object({ Data: z.string() })
const sendEmail = z.pipe(
  z.object({
    FromEmailAddress: oneLine,
    Destination: z.object({ ToAddresses: z.tuple([oneLine]) }),
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

/** `folder` undefined: mails are kept in memory. Each is logged in one line, with its links. */
export async function startSes(options: { folder: string | undefined; key: string; log: Log }): Promise<Ses> {
  const { folder, key, log } = options
  const server = createServer((request, response) => {
    answer(request, response).catch(error => {
      log(`A mail could not be kept: ${error instanceof Error ? error.message : error}`, 'error')
      fail(response, 500, 'InternalServiceErrorException', 'The mail could not be kept.')
    })
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    if (request.method !== 'POST' || request.url !== PATH) {
      return fail(response, 404, 'NotFoundException', `Only POST ${PATH} is here.`)
    }
    const given = sendEmail.safeParse(JSON.parse(body))
    if (!given.success) return fail(response, 400, 'BadRequestException', z.prettifyError(given.error))
    const id = randomUUID()
    const mail: LocalMail = { id, at: new Date(), ...given.data }
    const fault = ses.faultOf(mail)
    if (typeof fault === 'object') {
      return fail(response, fault.status, fault.type, 'As this machine was told.')
    }
    if (folder) {
      await writeMail(folder, mail)
    } else {
      ses.mails.push(mail)
    }
    log(lineOf(mail))
    if (fault === 'breaks') return void response.destroy()
    if (fault !== 'hangs') send(response, 200, { MessageId: id })
  }

  const door = await openDoorTo(server, key)
  const ses: Ses = { ...door, mails: [], faultOf: () => undefined }
  return ses
}

function lineOf({ to, subject, text }: LocalMail): string {
  return `mail to ${to} ${JSON.stringify(subject)}: ${linksIn(text).join(' ')}`
}

/** What a reader could click on. */
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
