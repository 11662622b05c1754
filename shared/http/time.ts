// Times: epoch seconds in the code, ISO 8601 in the API.
import * as z from 'zod/mini'

/** For writes outside of a unit of work, which has a clock of its own. */
export function currentMs(): number {
  return Date.now()
}

/** `2026-05-26T15:00:00+00:00`, always UTC. */
export function isoTime(epochSeconds: number): string {
  return `${new Date(epochSeconds * 1000).toISOString().slice(0, 19)}+00:00`
}

/** `Tue, 26 May 2026 15:00:00 GMT` (RFC 9110, 5.6.7). */
export function httpDate(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toUTCString()
}

/** The same day and time some months later; the first of the next month if there is no such day. */
export function monthsLater(epochSeconds: number, months: number): number {
  const date = new Date(epochSeconds * 1000)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months)
  if (date.getUTCDate() !== day) date.setUTCDate(1)
  return date.getTime() / 1000
}

const DATE = [/^(\d{4})-(\d\d)-(\d\d)$/, /^(\d{4})(\d\d)(\d\d)$/]
const TIME =
  /^(?<hour>\d\d)(?::?(?<minute>\d\d)(?::?(?<second>\d\d))?)?(?:[.,](?<fraction>\d+))?(?<offset>Z|[+-]\d\d(?::?\d\d)?)?$/i

/** Longer than any date and time, with room for a fraction. */
const LONGEST_TIME = 64

const DAY_SECONDS = 86_400

/** The years 0000 to 9999 in UTC, which four digits can show. */
const FIRST_SECOND = -62_167_219_200
export const LAST_SECOND = 253_402_300_799

/**
 * Any calendar date of ISO 8601, or date and time, as epoch seconds; null for anything else.
 * UTC without an offset, midnight without a time. Fractions are cut off; days that do not exist are null.
 */
export function parseTime(text: string): number | null {
  const trimmed = text.trim()
  if (trimmed.length > LONGEST_TIME) return null
  const [datePart = '', timePart, ...rest] = trimmed.split(/[Tt ]/)
  const days = daysOf(datePart)
  const seconds = timePart === undefined ? 0 : secondsOf(timePart)
  if (days === null || seconds === null || rest.length > 0) return null
  const time = days * DAY_SECONDS + seconds
  return time >= FIRST_SECOND && time <= LAST_SECOND ? time : null
}

function daysOf(text: string): number | null {
  const parts = DATE.map(form => form.exec(text)).find(found => found)
  if (!parts) return null
  const [year = 0, month = 0, day = 0] = parts.slice(1).map(Number)
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const exists = day > 0 && date.getUTCMonth() === month - 1
  return exists ? date.getTime() / 1000 / DAY_SECONDS : null
}

function secondsOf(text: string): number | null {
  const parts = TIME.exec(text)?.groups
  if (!parts) return null
  const [hour, minute, second] = [parts.hour, parts.minute, parts.second].map(part => Number(part ?? 0))
  const seconds = (hour ?? 0) * 3600 + (minute ?? 0) * 60 + (second ?? 0) + fractionOf(parts)
  const isClock = (minute ?? 0) < 60 && (second ?? 0) <= 60 && seconds <= DAY_SECONDS
  const offset = offsetOf(parts.offset ?? 'Z')
  if (!isClock || offset === null) return null
  const inUtc = seconds - offset
  // A leap second ends a day in UTC, and is taken for the second before it.
  if (second !== 60) return inUtc
  return inUtc % DAY_SECONDS === 0 ? inUtc - 1 : null
}

/** Whole seconds of a fraction, which is one of the last unit that is given: of a second it has none. */
function fractionOf({ minute, second, fraction = '0' }: Partial<Record<string, string>>): number {
  const unit = second ? 1n : minute ? 60n : 3600n
  return Number((BigInt(fraction) * unit) / 10n ** BigInt(fraction.length))
}

function offsetOf(text: string): number | null {
  if (text.toUpperCase() === 'Z') return 0
  const hours = Number(text.slice(1, 3))
  const minutes = Number(text.slice(3).replace(':', '') || 0)
  if (hours > 23 || minutes > 59) return null
  return (text.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60)
}

/** A time in a request: ISO 8601 text, parsed to epoch seconds. */
export const TimeInput = z
  .pipe(
    z.string('Must be an ISO 8601 date.'),
    z.transform((text, context) => {
      const seconds = parseTime(text)
      if (seconds !== null) return seconds
      context.issues.push({
        input: text,
        code: 'custom',
        message: 'Must be a valid ISO 8601 date, such as 2026-05-26T15:00:00Z.',
      })
      return z.NEVER
    }),
  )
  .check(z.meta({ format: 'date-time' }))

/** A time in an answer. */
export const Time = z.string().check(z.meta({ format: 'date-time', examples: ['2026-05-26T15:00:00+00:00'] }))
