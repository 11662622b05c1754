// The template of all mails: one list of paragraphs and links becomes both the plain text and the HTML.
import type { Mail } from './mail.ts'

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
