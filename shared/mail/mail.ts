// A mail: the message that orders one, its template, and the interface of composers.
import { type MailMessage, newEventId } from '../events/message.ts'
import type { Table } from '../table/client.ts'

/** Every mail has a plain text and an HTML part. */
export type Mail = { to: string; subject: string; text: string; html: string }

type MailOrder<Sort> = Sort extends MailMessage ? Omit<Sort, 'id'> : never

/** Returns the message for the transaction of the change that causes the mail. */
export function orderMail(order: MailOrder<MailMessage>, nowMs: number) {
  return { queue: 'jobs' as const, body: { ...order, id: newEventId(nowMs) } satisfies MailMessage }
}

/** Unescaped text; the template escapes it. */
type Block = string | { label: string; url: string }

type TemplateInput = { to: string; subject: string; siteName: string; blocks: Block[] }

export function fillTemplate({ to, subject, siteName, blocks }: TemplateInput): Mail {
  return {
    to: oneLine(to),
    subject: oneLine(subject),
    text: `${blocks.map(asText).join('\n\n')}\n\n-- \n${siteName}\n`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(oneLine(subject))}</title></head>
<body style="font-family: sans-serif; line-height: 1.5; max-width: 36em; margin: 2em auto; padding: 0 1em">
${blocks.map(asHtml).join('\n')}
<p style="color: #666">${escapeHtml(siteName)}</p>
</body>
</html>
`,
  }
}

/** Prevents line breaks in headers, which would start another header. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

function asText(block: Block): string {
  return typeof block === 'string' ? block : `${block.label}:\n${block.url}`
}

function asHtml(block: Block): string {
  return typeof block === 'string'
    ? `<p>${escapeHtml(block)}</p>`
    : `<p><a href="${escapeHtml(block.url)}">${escapeHtml(block.label)}</a></p>`
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] ?? character)
}

/** What a composer gets in addition to its message. */
export type MailContext = {
  table: Table
  /** Key of the tokens in links. */
  key: string
  /** The time of sending; the lifetime of links starts here. */
  nowSeconds: number
  /** Base of every link, without a trailing slash. */
  siteUrl: string
  /** Without line breaks. */
  siteName: string
}

type Messages = { [Kind in MailMessage['kind']]: Extract<MailMessage, { kind: Kind }> }

/** Returns undefined when there is nothing to send, or no recipient. */
export type Composer<Kind extends keyof Messages> = (
  message: Messages[Kind],
  context: MailContext,
) => Promise<Mail | undefined>

export type Composers = { [Kind in keyof Messages]: Composer<Kind> }

export function compose<Kind extends keyof Messages>(
  composers: Composers,
  kind: Kind,
  message: Messages[Kind],
  context: MailContext,
): Promise<Mail | undefined> {
  return composers[kind](message, context)
}
