// E-mail addresses: which are accepted, and which are the same.
import * as z from 'zod/mini'
import { normalize } from './normalize.ts'
import { EMAIL_PATTERN } from './patterns.ts'
import { trimmed, wellFormed } from './text.ts'

const LONGEST_ADDRESS = 254
const LONGEST_LOCAL_PART = 64
/** Dot-atom of RFC 5322, then at least two labels of RFC 1123, the last of which is not a number. */
const ADDRESS =
  /^([\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*)@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/i

function isAddress(text: string): boolean {
  const [, localPart] = (text.length <= LONGEST_ADDRESS && ADDRESS.exec(text)) || []
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

/** The same for all spellings of an address; accounts and subscribers are found by it. */
export function foldedEmail(email: string): string {
  return normalize(email, 'NFC').toLowerCase()
}
