// E-mail addresses: which are accepted, and which are the same.
import { domainToASCII, domainToUnicode } from 'node:url'
import * as z from 'zod/mini'
import { normalize } from './normalize.ts'
import { EMAIL_PATTERN, trimmed, wellFormed } from './text.ts'

const LONGEST_ADDRESS = 254
const LONGEST_LOCAL_PART = 64
/** Dot-atom of RFC 5322, then at least two labels of RFC 1123, the last of which is not a number. */
const ADDRESS =
  /^([\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*)@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/i

/** The functions of `node:url` decode `%41`, read numbers as IP addresses, and skip invisible characters. */
const INTERNATIONAL = /^(?=.*(?:\P{ASCII}|xn--))(?:[a-z0-9.\-\u200c\u200d]|[\P{ASCII}--\p{DI}])+$/iv

/** The address with its host in another form, if it has one. */
function withHost(address: string, form: (host: string) => string): string {
  const start = address.lastIndexOf('@') + 1
  const host = address.slice(start)
  const isInternational = start > 0 && host.length < LONGEST_ADDRESS && INTERNATIONAL.test(host)
  return isInternational ? address.slice(0, start) + (form(host) || host) : address
}

/** The address as mail servers take it: a host of any script in its ASCII form. */
export function asciiEmail(address: string): string {
  return withHost(address, domainToASCII)
}

function isAddress(text: string): boolean {
  const ascii = text.length <= LONGEST_ADDRESS ? asciiEmail(text) : ''
  const [, localPart] = (ascii.length <= LONGEST_ADDRESS && ADDRESS.exec(ascii)) || []
  return localPart !== undefined && localPart.length <= LONGEST_LOCAL_PART
}

/** An e-mail address, trimmed, otherwise as given. */
export const emailAddress = z.pipe(wellFormed, z.transform(trimmed)).check(
  z.refine(text => text !== '', 'Is required.'),
  z.refine(
    text => text === '' || isAddress(text),
    `Must be a valid e-mail address of at most ${LONGEST_ADDRESS} characters.`,
  ),
  z.meta({ format: 'email', maxLength: LONGEST_ADDRESS, pattern: EMAIL_PATTERN }),
)

/** In lower case, with the host as given. */
export function caselessEmail(email: string): string {
  return normalize(email, 'NFC').toLowerCase()
}

/** The same for all spellings of an address; accounts and subscribers are found by it. */
export function foldedEmail(email: string): string {
  return caselessEmail(asciiEmail(email))
}

/** The spelling of a folded address that people read. */
export function readableEmail(foldedEmail: string): string {
  return withHost(foldedEmail, domainToUnicode)
}
