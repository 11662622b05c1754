// The Deprecation and Sunset headers of every answer of v1, after v2 has shipped.
import { httpDate, monthsLater } from './time.ts'

/** Contract "Versioning": v1 stays available for at least this long. */
const MONTHS = 6

/** RFC 9745 and RFC 8594. @param v2ShippedOn in epoch seconds; undefined while there is no v2. */
export function deprecationHeaders(v2ShippedOn: number | undefined): Record<string, string> {
  return v2ShippedOn === undefined
    ? {}
    : { Deprecation: `@${v2ShippedOn}`, Sunset: httpDate(monthsLater(v2ShippedOn, MONTHS)) }
}
