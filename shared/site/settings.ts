// The settings of the site: the type, the default and the visibility of each. No I/O.
import * as z from 'zod/mini'
import { emailAddress } from '../http/email.ts'
import { optional, shapeOf, strictMembers } from '../http/members.ts'
import {
  BASE_URL_PATTERN,
  httpUrl,
  LOCALE_PATTERN,
  optionalText,
  trimmedText,
  withCommas,
} from '../http/text.ts'

const LONGEST = 1000

const text = z.nullable(optionalText(LONGEST))
/** `""` counts as unset, like null. */
const url = z.nullable(z.union([z.literal(''), httpUrl(LONGEST)], 'Must be an absolute http or https URL.'))
const flag = z.nullable(z.boolean('Must be true or false.'))
const whole = z.nullable(z.int('Must be a whole number.').check(z.positive('Must be at least 1.')))

const NO_BASE = 'Must be an absolute http or https URL without user info, query and fragment.'
/** The base of every public URL: no user info, query or fragment. */
const BASE = /^[^:]+:\/\/[^/?#@]+(?:\/[^?#]*)?$/
const base = httpUrl(LONGEST).check(
  z.refine(text => BASE.test(text), NO_BASE),
  z.meta({ pattern: BASE_URL_PATTERN }),
)
const baseUrl = z.nullable(z.union([z.literal(''), base], NO_BASE))

const NO_EMAIL = 'Must be a valid e-mail address of at most 254 characters.'
const email = z.nullable(z.union([z.literal(''), emailAddress], NO_EMAIL))

/** A text that a built-in takes without throwing. */
function takenBy(builtIn: (text: string) => unknown, message: string, pattern?: string) {
  const name = trimmedText(LONGEST, message).check(
    z.refine(text => {
      try {
        return Boolean(builtIn(text))
      } catch {
        return false
      }
    }, message),
    z.meta({ minLength: 1, maxLength: LONGEST, ...(pattern && { pattern }) }),
  )
  return z.nullable(z.union([z.literal(''), name], message))
}

const timeZone = takenBy(
  timeZone => new Intl.DateTimeFormat('en', { timeZone }),
  'Must be the name of a time zone, such as Europe/Paris.',
)
const locale = takenBy(
  text => new Intl.Locale(text),
  'Must be a language tag (BCP 47), such as en or pt-BR.',
  LOCALE_PATTERN,
)

const HUNDRED_YEARS_IN_MINUTES = 52_560_000
function upTo(most: number) {
  const tooMany = `Must be at most ${withCommas(most)}.`
  return z.nullable(
    z.int('Must be a whole number.').check(z.positive('Must be at least 1.'), z.maximum(most, tooMany)),
  )
}

function linkTo(what: string): string {
  return `Absolute URL of ${what}, at most 1,000 characters.`
}
function profile(network: string): string {
  return `Name or URL of the site's profile on ${network}, at most 1,000 characters.`
}

/** What may be set, by dotted keys; null unsets it. A setting without a default is unset until it is set. */
const SETTINGS = {
  'general.site_name': [text, 'Name of the site, at most 1,000 characters.', 'Example'],
  'general.site_tagline': [text, 'What stands under the name, at most 1,000 characters.'],
  'general.site_description': [text, 'What the site is about, at most 1,000 characters.'],
  'general.contact_email': [email, 'E-mail address to show for contact, at most 254 characters.'],
  'general.logo_url': [url, linkTo('the logo')],
  'general.favicon_url': [url, linkTo('the favicon')],
  'general.timezone': [
    timeZone,
    'Time zone of the site, by its IANA name. The service itself uses UTC everywhere.',
    'Europe/Paris',
  ],
  'general.locale': [locale, 'Language of the site, as a BCP 47 tag.', 'en'],
  'seo.fallback_image': [url, linkTo('the image to share for pages that have none')],
  'social.twitter': [text, profile('Twitter')],
  'social.github': [text, profile('GitHub')],
  'social.linkedin': [text, profile('LinkedIn')],
  'social.facebook': [text, profile('Facebook')],
  'social.youtube': [text, profile('YouTube')],
  'social.instagram': [text, profile('Instagram')],
  'social.discord': [text, profile('Discord')],
  'blog.posts_per_page': [
    upTo(100),
    'Posts per page of the site, 1 to 100. Lists of the API have 12 by default all the same.',
  ],
  'comments.enabled': [flag, 'False refuses new comments; those that exist stay readable. Default true.'],
  'comments.allow_guest_comments': [flag, 'True lets people without an account comment. Default false.'],
  'comments.require_approval': [
    flag,
    'True makes new comments wait until an admin approves them. Default true.',
  ],
  'site.url': [
    baseUrl,
    `Base of every public URL in events and mails, without user info, query and fragment. Unset it is the address of
        the service.`,
    'https://www.example.com',
  ],
  'site.preview_url': [
    url,
    `The page of the site that shows a preview, at most 1,000 characters. \`{token}\`, \`{slug}\`, \`{id}\` and \`{content_type}\`
      in it are filled in. Unset, a preview has no address.`,
    'https://www.example.com/api/preview?token={token}&slug={slug}',
  ],
  'auth.registration_enabled': [flag, 'False refuses new accounts. Default true.'],
  'auth.token_lifetime_minutes': [
    upTo(HUNDRED_YEARS_IN_MINUTES),
    `Minutes after which a token expires, counted from its creation, 1 to 52,560,000 (100 years).
      Unset, tokens never expire. It acts on existing tokens too, admin tokens and the one that sets it included. If you shut yourself out, run
      \`npm run operator -- settings set auth.token_lifetime_minutes --unset\`, or \`token create\`.`,
  ],
  'maintenance.enabled': [
    flag,
    'True answers 503 to everyone but admins, except for health, login and logout. Default false.',
  ],
  'maintenance.message': [text, 'The `message` of these answers, at most 1,000 characters.'],
  'webhooks.warn_owner': [
    flag,
    'False sends no mail to the owner of a webhook subscription whose last 20 deliveries failed. Default true.',
    false,
  ],
} as const

/**
 * Stored settings have looser rules than those that are sent, because rules may have become stricter. If
 * `site.url` is unset, the service's own base URL is used.
 */
export const Settings = z.object({
  ...shapeOf(SETTINGS),
  'general.contact_email': text,
  'general.timezone': text,
  'general.locale': text,
  'blog.posts_per_page': whole,
  'site.url': url,
  'auth.token_lifetime_minutes': whole,
})
export type Settings = z.infer<typeof Settings>
export type SettingKey = keyof Settings

export const SomeSettings = z.partial(Settings)
/** Newer versions may have stored others. None is null. */
export const StoredSettings = z.catchall(SomeSettings, z.unknown())

/** The body of PATCH, in which an unknown key is a fault. */
export const SettingsChange = strictMembers(optional(SETTINGS))
export type SettingsChange = z.infer<typeof SettingsChange>

const DEFAULTS = {
  'comments.enabled': true,
  'comments.allow_guest_comments': false,
  'comments.require_approval': true,
  'auth.registration_enabled': true,
  'maintenance.enabled': false,
  'webhooks.warn_owner': true,
} satisfies SettingsChange

const INTERNAL: ReadonlySet<SettingKey> = new Set<SettingKey>([
  'site.url',
  'site.preview_url',
  'auth.registration_enabled',
  'auth.token_lifetime_minutes',
  'maintenance.enabled',
  'maintenance.message',
  'webhooks.warn_owner',
])

const KEYS = z.keyof(Settings).options
const UNSET = Object.fromEntries(KEYS.map(key => [key, null]))

/** The stored settings, with defaults for the others. */
export function settingsFrom(stored: SettingsChange): Settings {
  return Settings.parse({ ...UNSET, ...DEFAULTS, ...stored })
}

/** The stored settings after a change; null removes a setting. */
export function changedSettings(stored: SettingsChange, change: SettingsChange): SettingsChange {
  return StoredSettings.parse(
    Object.fromEntries(Object.entries({ ...stored, ...change }).filter(([, value]) => value !== null)),
  )
}

export const Value = z.union([z.string(), z.number(), z.boolean()])
/** The settings that readers see, by their dotted keys. */
export const PublicSettings = z.record(z.string(), Value)
export type PublicSettings = z.infer<typeof PublicSettings>

function groupOf(key: SettingKey): string {
  return key.slice(0, key.indexOf('.'))
}

export const SETTING_GROUPS = [...new Set(KEYS.map(groupOf))]

export function settingItems(settings: Settings, group?: string) {
  return KEYS.filter(key => group === undefined || groupOf(key) === group).map(key => ({
    key,
    value: settings[key],
    group: groupOf(key),
    is_public: !INTERNAL.has(key),
  }))
}

/** The settings that readers see: null and `""` are left out, `false` is not. */
export function publicSettings(settings: Settings): PublicSettings {
  return Object.fromEntries(
    KEYS.flatMap(key => {
      const value = settings[key]
      return INTERNAL.has(key) || value === null || value === '' ? [] : [[key, value] as const]
    }),
  )
}

/** The base of every public URL, without a slash at its end. */
export function siteUrlOf(settings: Settings, ownUrl: string): string {
  return (settings['site.url'] || ownUrl).replace(/\/+$/, '')
}

/** Whether a boolean setting is true. */
export function isSwitchedOn(settings: Settings, key: string): boolean {
  return Object.entries(settings).some(([name, value]) => name === key && value === true)
}
