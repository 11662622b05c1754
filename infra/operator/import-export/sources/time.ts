// Times of other systems: ISO 8601, RFC 2822, epochs and objects of parsers.
import { LAST_SECOND, parseTime } from '../../../../shared/http/time.ts'

/** `missing`: none is given. `wrong`: one that does not exist. `unreadable`: a text in no known form. */
export type ForeignTime = { seconds: number } | 'missing' | 'wrong' | 'unreadable'

const CLOCK = '(?<hour>\\d\\d?):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,]\\d+)?)?'
const NAMED_ZONE = '(?<zone>[+-]\\d{4}|[a-z]{1,4})'
/** `2021-3-1 10:00 +0900`, `Mon, 01 Mar 2021 10:00:00 EST`, `March 1, 2021 10:00`. */
const FORMS = [
  `(?<year>\\d{4})[-/](?<month>\\d\\d?)[-/](?<day>\\d\\d?)(?:[ T]+${CLOCK})? ?(?<zone>Z|UTC|GMT|[+-]\\d\\d:?\\d\\d)?`,
  `(?:[a-z]{3,9}, *)?(?<day>\\d\\d?) (?<month>[a-z]{3})[a-z]* (?<year>\\d{4})(?: ${CLOCK}(?: ${NAMED_ZONE})?)?`,
  `(?:[a-z]{3,9},? )?(?<month>[a-z]{3})[a-z]* (?<day>\\d\\d?),? (?<year>\\d{4})(?:,? ${CLOCK}(?: ${NAMED_ZONE})?)?`,
].map(form => new RegExp(`^${form}$`, 'i'))
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
/** The zones of RFC 2822 that are not UTC. */
const HOURS = new Map(
  Object.entries({ est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7 }),
)
const UTC = new Set(['z', 'ut', 'utc', 'gmt'])
const LONGEST = 64
/** Smaller numbers are no epochs: none of these systems is as old. */
const [EARLIEST_SECONDS, EARLIEST_MS] = [1e8, 1e11]

/** Without an offset it is UTC. */
export function foreignTime(value: unknown): ForeignTime {
  if (value === null || value === undefined) return 'missing'
  if (value instanceof Date) return inRange(value.getTime() / 1000)
  if (typeof value === 'number' && value > EARLIEST_SECONDS) {
    return inRange(value > EARLIEST_MS ? value / 1000 : value)
  }
  // `date: 20210301` is a number in YAML.
  if (typeof value !== 'string' && typeof value !== 'number') return 'unreadable'
  const text = String(value)
    .trim()
    .replaceAll(/ \([a-z]+\)$/gi, '')
  if (text === '' || text.startsWith('0000')) return 'missing'
  if (text.length > LONGEST) return 'unreadable'
  const seconds = parseTime(text)
  if (seconds !== null) return { seconds }
  const parts = FORMS.map(form => form.exec(text)?.groups).find(groups => groups)
  return parts ? timeOf(parts) : 'unreadable'
}

/** Epoch seconds; null for anything that is no time. */
export function secondsOf(value: unknown): number | null {
  const time = foreignTime(value)
  return typeof time === 'object' ? time.seconds : null
}

function timeOf(parts: Record<string, string | undefined>): ForeignTime {
  const { year = '', month = '', day = '', hour = '0', minute = '00', second = '00', zone = 'z' } = parts
  const named = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1
  const name = zone.toLowerCase()
  const hours = UTC.has(name) ? 0 : HOURS.get(name)
  if (hours === undefined && !/^[+-]/.test(zone)) return 'unreadable'
  const two = (text: string | number) => String(text).padStart(2, '0')
  const offset = hours === undefined ? zone : 'Z'
  const seconds = parseTime(
    `${year}-${two(named || month)}-${two(day)}T${two(hour)}:${minute}:${second}${offset}`,
  )
  return seconds === null ? 'wrong' : inRange(seconds - (hours ?? 0) * 3600)
}

const FIRST_SECOND = -62_167_219_200

function inRange(seconds: number): ForeignTime {
  const whole = Math.floor(seconds)
  return whole >= FIRST_SECOND && whole <= LAST_SECOND ? { seconds: whole } : 'wrong'
}
