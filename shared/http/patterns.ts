// The patterns of the OpenAPI document: a text that matches is accepted, so clients can check before they
// send. They may be stricter than the service, as a regular expression knows neither Punycode nor NFC.

/** Control characters and line ends, for use in a class. */
const CONTROL = '\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029'
/** White space that trimming removes, for use in a class. */
const SPACE = '\\s\\x1c-\\x1f\\x85\\ufeff'

/** A line that may be empty. */
export const LINE_PATTERN = `^[^${CONTROL}]*$`
/** A line that is not blank. */
export const FULL_LINE_PATTERN = `^[^${CONTROL}]*[^${CONTROL}${SPACE}][^${CONTROL}]*$`
/** A text of any number of lines that is not blank. */
export const FULL_TEXT_PATTERN = `[^${SPACE}]`
/** A text of at least two characters after trimming. */
export const TWO_CHARACTERS_PATTERN = `[^${SPACE}][\\s\\S]*[^${SPACE}]`

export const SLUG_PATTERN = '^(?:[\\p{L}\\p{N}](?:[\\p{L}\\p{N}\\p{M}\\-_.~]*[\\p{L}\\p{N}\\p{M}])?)?$'

const ATOM = "[A-Za-z0-9_!#$%&'*+/=?^`{|}~\\-]+"
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?'
const LAST_LABEL = '[A-Za-z](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])'
/** The part before the `@` has at most 64 characters. */
export const EMAIL_PATTERN = `^(?=.{1,64}@)${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+${LAST_LABEL}$`

/** Language, script and region; the service takes any well-formed tag. */
export const LOCALE_PATTERN = '^[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?$'

const PORT = '(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}))?'
const NAME = '(?:[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*\\.)*[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*'
const BYTE = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
const HOST = `(?:${NAME}|(?:${BYTE}\\.){3}${BYTE})`
const ORIGIN = `[Hh][Tt][Tt][Pp][Ss]?://${HOST}${PORT}`
const IN_PATH = 'A-Za-z0-9\\-._~:/@!$&()*+,;=%'
const URL = `${ORIGIN}(?:[/?#][${IN_PATH}?#]*)?`
/** An http(s) URL whose host is an IPv4 address or an ASCII name. */
export const URL_PATTERN = `^${URL}$`
/** The same without query and fragment. */
export const BASE_URL_PATTERN = `^${ORIGIN}(?:/[${IN_PATH}]*)?$`
/** A URL, `mailto:`, `tel:`, or what begins with `/` (not `//`), `#` or `?`. */
export const LINK_PATTERN = `^(?:/(?:[^/\\\\${CONTROL}][^${CONTROL}]*)?|[#?][^${CONTROL}]*|(?:mailto|tel):[^${CONTROL}${SPACE}][^${CONTROL}]*|${URL})$`
