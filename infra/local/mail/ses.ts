// An emulator of SES: saves the mails that functions send as `.eml` files, which mail programs can open.
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { arn } from '../account.ts'
import { Refusal, serveJson } from '../json-server.ts'
import type { Log } from '../log.ts'
import { writeAtomically } from '../state.ts'

export type LocalMail = {
  id: string
  at: Date
  from: string
  to: string
  subject: string
  text: string
  html: string
}

export type Ses = {
  endpoint: string
  /** The sent mails, oldest first. Empty if they are saved to a folder. */
  mails: LocalMail[]
  stop(): Promise<void>
}

const ascii = z.string().check(z.regex(/^[!-~]+$/, 'must be in ASCII'))
const oneLine = z.string().check(z.regex(/^[^\r\n]+$/, 'must be one line'))
const content = z.object({ Data: z.string() })
const SendEmailInput = z.pipe(
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

type SesOptions = {
  /** Undefined: mails stay in memory. */
  folder: string | undefined
  /** Takes what SES publishes about a mail that bounced or was marked as spam. */
  publish: (event: object) => Promise<void>
  /** Takes a line for each mail, with its links. */
  log: Log
}

export async function startSes({ folder, publish, log }: SesOptions): Promise<Ses> {
  const mails: LocalMail[] = []
  const save = async (mail: LocalMail): Promise<void> => {
    if (folder === undefined) return void mails.push(mail)
    await writeMail(folder, mail).catch(error => {
      log(`Cannot save a mail: ${error instanceof Error ? error.message : error}`, 'error')
      throw error
    })
  }
  const server = await serveJson(async (_, body) => {
    const parsed = SendEmailInput.safeParse(body)
    if (!parsed.success) throw new Refusal('BadRequestException', z.prettifyError(parsed.error))
    const id = randomUUID()
    const mail: LocalMail = { id, at: new Date(), ...parsed.data }
    await save(mail)
    log(`mail to ${mail.to} ${JSON.stringify(mail.subject)}: ${linksIn(mail.text).join(' ')}`)
    // Before the answer, so that a service that is idle has no notice to come.
    const event = simulatedEventOf(mail)
    if (event) await publish(event)
    return { MessageId: id }
  })
  return { ...server, mails }
}

/** SES's mailbox simulator. Each address may have a label: `bounce+mine@simulator.amazonses.com`. */
const SIMULATOR = /^(bounce|complaint|ooto|suppressionlist)(?:\+[^@]*)?@simulator\.amazonses\.com$/i

const BOUNCES: Record<string, [type: string, subType: string, diagnosticCode?: string]> = {
  bounce: ['Permanent', 'General', 'smtp; 550 5.1.1 user unknown'],
  suppressionlist: ['Permanent', 'Suppressed', 'Amazon SES has suppressed sending to this address.'],
  ooto: ['Transient', 'General'],
}

/** What SES publishes about a mail that bounced or was marked as spam; undefined for others. */
function simulatedEventOf({ id, to }: LocalMail): object | undefined {
  const name = SIMULATOR.exec(to)?.[1]?.toLowerCase() ?? ''
  const timestamp = new Date().toISOString()
  const mail = { messageId: id, destination: [to] }
  if (name === 'complaint') {
    const complainedRecipients = [{ emailAddress: to }]
    const complaint = { timestamp, complainedRecipients, complaintFeedbackType: 'abuse' }
    return { eventType: 'Complaint', complaint, mail }
  }
  if (!BOUNCES[name]) return undefined
  const [bounceType, bounceSubType, diagnosticCode] = BOUNCES[name]
  const bouncedRecipients = [{ emailAddress: to, diagnosticCode }]
  return { eventType: 'Bounce', bounce: { timestamp, bounceType, bounceSubType, bouncedRecipients }, mail }
}

/** The message that a queue gets from a topic of SNS without raw delivery. */
export function inEnvelope(event: object) {
  const TopicArn = arn('sns', 'mail-notices')
  return { Type: 'Notification', MessageId: randomUUID(), TopicArn, Message: JSON.stringify(event) }
}

/** Writes atomically, and creates the folder if it was deleted. */
async function writeMail(folder: string, { id, at, ...mail }: LocalMail): Promise<void> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const message = new MailComposer({ ...mail, date: at, messageId: `<${id}@localhost>` }).compile()
  const content = await message.build()
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${at.toISOString().replaceAll(':', '-')}-${id.slice(0, 8)}.eml`)
  await writeAtomically(file, content)
}

export function linksIn(text: string): string[] {
  return text.match(/https?:\/\/\S+/g) ?? []
}
