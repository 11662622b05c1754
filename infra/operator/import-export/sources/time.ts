// Times of other systems: ISO 8601, RFC 2822, epochs and objects of parsers.
import { parseTime } from '../../../../shared/http/time.ts'

/** `missing`: none is given. `wrong`: a day that does not exist. `unreadable`: a text in no known form. */
export type ForeignTime = number | 'missing' | 'wrong' | 'unreadable'

const CLOCK = '(?:[01]?\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?'
const ZONE = 'Z|UTC?|GMT|[ECMP][SD]T|[+-]\\d\\d:?\\d\\d'
/** `2021-3-1 10:00 +0900`, `Mon, 01 Mar 2021 10:00:00 EST`, `March 1, 2021 10:00`: the engine reads these. */
const FORMS = [
  '[12]\\d{3}[-/]\\d\\d?[-/](?<day>\\d\\d?)',
  '(?:[a-z]{3,9}, *)?(?<day>\\d\\d?) [a-z]{3,9} [12]\\d{3}',
  '(?:[a-z]{3,9},? )?[a-z]{3,9} (?<day>\\d\\d?),? [12]\\d{3}',
].map(form => new RegExp(`^(?<date>${form})(?:,?[ T]+(?<clock>${CLOCK}))? ?(?<zone>${ZONE})?$`, 'i'))
/** Other numbers are no epochs: none of these systems is as old, and `202103011000` is a date. */
const [EARLIEST_SECONDS, LATEST_SECONDS] = [8e8, 1e10]

/** Without an offset it is UTC. */
export function foreignTime(value: unknown): ForeignTime {
  if (value === null || value === undefined) return 'missing'
  if (value instanceof Date) return timeOf(value)
  if (typeof value === 'number') {
    const seconds = value < LATEST_SECONDS ? value : value / 1000
    if (seconds > EARLIEST_SECONDS && seconds < LATEST_SECONDS) return timeOf(new Date(seconds * 1000))
  }
  // `date: 20210301` is a number in YAML.
  if (typeof value !== 'string' && typeof value !== 'number') return 'unreadable'
  const text = String(value)
    .trim()
    .replaceAll(/ \([a-z]+\)$/gi, '')
  // Go's zero is in the year 1.
  if (text === '' || /^000[01]/.test(text)) return 'missing'
  const seconds = parseTime(text)
  if (seconds !== null) return seconds
  const parts = FORMS.map(form => form.exec(text)?.groups).find(Boolean)
  if (!parts) return 'unreadable'
  const { date, day, clock = '', zone = 'UTC' } = parts
  // The engine takes 30 February for 2 March.
  if (new Date(`${date} UTC`).getUTCDate() !== Number(day)) return 'wrong'
  return timeOf(new Date(`${date} ${clock} ${zone}`))
}

/** Epoch seconds; null for anything that is no time. */
export function secondsOf(value: unknown): number | null {
  return knownTime(foreignTime(value))
}

export function knownTime(time: ForeignTime): number | null {
  return typeof time === 'number' ? time : null
}

/**
 * Whether it is not known when a public post is shown: then it is a draft. Without a date, only one that
 * should wait. Throws for a day that does not exist.
 */
export function isUnclear(time: ForeignTime, isScheduled: boolean, notes: string[]): boolean {
  if (time === 'wrong') throw new Error('Its date: There is no such day.')
  const isUnclear = time === 'unreadable' || (isScheduled && time === 'missing')
  if (isUnclear) notes.push('When it is shown is not clear, so it is a draft.')
  return isUnclear
}

function timeOf(date: Date): ForeignTime {
  return (Number.isNaN(date.getTime()) ? null : parseTime(date.toISOString())) ?? 'wrong'
}
