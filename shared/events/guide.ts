// Texts of the members of events, for the document alone: one for each member, and common ones.
import type { Description } from '../http/descriptions.ts'
import { EVENT_NAMES, EVENT_TEXTS, EVENTS, type EventData, type EventName } from './catalogue.ts'

const COMMON = {
  id: (noun: string) => `Id of the ${noun}.`,
  slug: (noun: string) => `Slug of the ${noun}.`,
  url: (noun: string) => `Address of the ${noun} on the site.`,
  title: (noun: string) => `Title of the ${noun}.`,
  name: (noun: string) => `Name of the ${noun}.`,
  email: (noun: string) => `E-mail address of the ${noun}.`,
  subject: (noun: string) => `Subject of the ${noun}.`,
  priority: (noun: string) => `Priority of the ${noun}.`,
  status: (noun: string) => `Status of the ${noun} after the event.`,
  version: (noun: string) =>
    `Version of the ${noun} after the event. Deliveries keep no order, so compare this.`,
}
type CommonMember = keyof typeof COMMON
const COMMON_TEXTS: Readonly<Record<string, (noun: string) => string>> = COMMON

/** The part of an event's name before the dot. */
type PrefixOf<Name> = Name extends `${infer Prefix}.${string}` ? Prefix : never
type Prefixes = PrefixOf<EventName>
type MembersOf<Prefix> = {
  [Name in EventName]: PrefixOf<Name> extends Prefix ? keyof EventData<Name> : never
}[EventName]
type OwnMembersOf<Prefix> = Exclude<MembersOf<Prefix>, CommonMember>

type PrefixTexts<Prefix> = {
  /** The noun in common texts, by default the prefix. */
  noun?: string
  /** Required for members that are not common; the text of a common one replaces the common text. */
  members: { [Name in OwnMembersOf<Prefix>]: string } & { [Name in MembersOf<Prefix>]?: string }
}

/** Texts by prefix. A prefix whose events have only common members needs none. */
export type EventTexts = {
  [Prefix in Prefixes as [OwnMembersOf<Prefix>] extends [never] ? never : Prefix]: PrefixTexts<Prefix>
} & { [Prefix in Prefixes]?: PrefixTexts<Prefix> }

const TEXTS: EventTexts = EVENT_TEXTS

function textsOf(name: EventName): Readonly<Record<string, string>> {
  const [prefix = ''] = name.split('.')
  const all: Readonly<Record<string, { noun?: string; members: object } | undefined>> = TEXTS
  const { noun = prefix, members = {} } = all[prefix] ?? {}
  const own = new Map<string, string>(Object.entries(members))
  return Object.fromEntries(
    Object.keys(EVENTS[name].data.shape).flatMap(member => {
      const text = own.get(member) ?? COMMON_TEXTS[member]?.(noun)
      return text === undefined ? [] : [[member, text]]
    }),
  )
}

export const EVENT_DESCRIPTIONS: Description[] = EVENT_NAMES.map(name => ({
  schema: EVENTS[name].data,
  texts: textsOf(name),
}))
