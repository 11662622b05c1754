// What a source gives to an import: records of the own format, and a line for each that cannot become one.
import type { ExportRecord } from '../format.ts'

export type Entry<Record extends ExportRecord = ExportRecord> = {
  /** What the source calls the record: with the name of the source the record is imported once. */
  key: string
  /** Its ids are those of the source. */
  record: Record
  /** Whether it should have the same id here. */
  keepsId: boolean
  /** What of the source did not fit. */
  notes: string[]
  /** Of all that the source says: an update writes what differs. */
  digest: string
  /** Paths and addresses at which the old site showed it. */
  oldAddresses?: string[]
  /** A subscriber who is to be asked by mail. */
  asksByMail?: boolean
}

/** `isWrong`: it should have been able to become a record. */
export type Unusable = { kind: string; label: string; problem: string; isWrong: boolean }

export type Source = {
  /** Names where the records come from, the same each time: with a key it names a record. */
  name: string
  /** For people. */
  label: string
  /** The id of the site, of an export of this service. */
  site?: string
  /** For progress. */
  count: number
  entries: () => AsyncIterable<Entry | Unusable>
}

/** A reference that leads nowhere: no record has this id. */
export const NOWHERE = Number.MAX_SAFE_INTEGER

/** As the report names a record. */
export function labelOf(record: ExportRecord): string {
  switch (record.type) {
    case 'settings':
      return 'settings'
    case 'menu':
      return record.location
    case 'category':
    case 'post':
      return record.slug
    case 'user':
    case 'subscriber':
    case 'submission':
      return record.email
    case 'comment':
      return `comment ${record.id}`
    case 'ticket':
      return record.subject
    case 'webhook':
      return record.name
  }
}

type Issues = { issues: { path: PropertyKey[]; message: string }[] }
const LONGEST_PROBLEM = 500

/** `title: Is required.` */
export function problemOf({ issues }: Issues): string {
  const text = issues.map(({ path, message }) => `${path.join('.') || 'the record'}: ${message}`).join(' ')
  return text.length > LONGEST_PROBLEM ? `${text.slice(0, LONGEST_PROBLEM)}…` : text
}
