// Descriptions of health, settings and menus.
import { type Description, describes } from '../../http/descriptions.ts'
import { Health, SettingItem } from '../contract.ts'
import { HealthChecks } from '../health.ts'
import { Menu, MenuItem } from '../menu.ts'
import { MenuInput, MenuItemInput } from '../menu-input.ts'
import { SettingsChange } from '../settings.ts'

const CHECK = {
  ok: 'False if the part is not well.',
  problem: 'What is wrong, in words. Only if the part is not well.',
} as const

const { table, sweep, outbox } = HealthChecks.shape

const HEALTH: Description[] = [
  describes(Health, {
    status: '`ok`; `maintenance`; or `degraded`, if one of the checked parts is not well.',
    api_version: 'Version of the API, as in its paths.',
    cms_version: ['Version of the service.', '1.0.0'],
    time: 'Time of the answer, in UTC.',
    checks: 'What was found of each part. Only with `deep=1`.',
  }),
  describes(HealthChecks, {
    table: 'The database.',
    sweep: 'The job that repairs and publishes, once a minute.',
    outbox: 'Messages that are not in a queue a minute after they were written.',
  }),
  describes(table, { ...CHECK, latency_ms: 'Milliseconds of one read; null if the table did not answer.' }),
  describes(sweep, {
    ...CHECK,
    last_at: 'When it last ended well, in UTC; null if it never did or is unknown.',
  }),
  describes(outbox, {
    ...CHECK,
    oldest_seconds: 'Age of the oldest message in seconds; null if there is none or it is unknown.',
    waiting: 'Number of messages; null if it is unknown.',
  }),
]

const ITEM = {
  label: ['Text of the link: one line of 1 to 255 characters.', 'Blog'],
  url: [
    'An absolute http or https URL, `mailto:`, `tel:`, or what begins with `/` (not `//`), `#` or `?`. At most 2,048 characters.',
    '/blog',
  ],
  target: '`_self`, the default, opens the link in the same window, `_blank` in a new one.',
  children: 'Links below this one, empty by default. A menu has at most five levels.',
} as const

const MENUS: Description[] = [
  describes(Menu, {
    location: ['Place of the menu on the site.', 'main'],
    items: 'Links of the first level, in order.',
  }),
  describes(MenuItem, {
    id: 'Number that is unique within the menu. It changes when the menu is saved.',
    label: 'Text of the link.',
    url: 'Where the link leads.',
    target: '`_self` opens it in the same window, `_blank` in a new one.',
    type: 'Always `custom_link`.',
    sort_order: 'Position among its siblings, from 1.',
    children: 'Links below this one, in order; empty without any.',
  }),
  describes(MenuItemInput, ITEM),
  describes(MenuInput, {
    items: 'Links of the first level, in order. At most 200 links in all levels together.',
  }),
]

/** A setting without a default is unset until it is set. */
function link(what: string): string {
  return `Absolute URL of ${what}, at most 1,000 characters.`
}
function profile(network: string): string {
  return `Name or URL of the site's profile on ${network}, at most 1,000 characters.`
}

const SETTINGS: Description[] = [
  describes(SettingItem, {
    key: 'Name of the setting, its group first.',
    value: 'What is set, or the default; null if there is neither.',
    group: 'The part of the key before the dot.',
    is_public: 'Whether `GET /api/v1/settings/public` shows it.',
  }),
  describes(SettingsChange, {
    'general.site_name': ['Name of the site, at most 1,000 characters.', 'Example'],
    'general.site_tagline': 'What stands under the name, at most 1,000 characters.',
    'general.site_description': 'What the site is about, at most 1,000 characters.',
    'general.contact_email': 'E-mail address to show for contact, at most 254 characters.',
    'general.logo_url': link('the logo'),
    'general.favicon_url': link('the favicon'),
    'general.timezone': [
      'Time zone of the site, by its IANA name. The service itself uses UTC everywhere.',
      'Europe/Paris',
    ],
    'general.locale': ['Language of the site, as a BCP 47 tag.', 'en'],
    'seo.fallback_image': link('the image to share for pages that have none'),
    'social.twitter': profile('Twitter'),
    'social.github': profile('GitHub'),
    'social.linkedin': profile('LinkedIn'),
    'social.facebook': profile('Facebook'),
    'social.youtube': profile('YouTube'),
    'social.instagram': profile('Instagram'),
    'social.discord': profile('Discord'),
    'blog.posts_per_page':
      'Posts per page of the site, 1 to 100. Lists of the API have 12 by default all the same.',
    'comments.enabled': 'False refuses new comments; those that exist stay readable. Default true.',
    'comments.allow_guest_comments': 'True lets people without an account comment. Default false.',
    'comments.require_approval': 'True makes new comments wait until an admin approves them. Default true.',
    'site.url': [
      `Base of every public URL in events and mails, without user info, query and fragment. Unset it is the address of
        the service.`,
      'https://www.example.com',
    ],
    'auth.registration_enabled': 'False refuses new accounts. Default true.',
    'auth.token_lifetime_minutes': `Minutes after which a token expires, counted from its creation, 1 to 52,560,000 (100 years).
      Unset, tokens never expire. It acts on existing tokens too, admin tokens and the one that sets it included. If you shut yourself out, run
      \`npm run operator -- settings unset auth.token_lifetime_minutes\`, or \`token create\`.`,
    'maintenance.enabled':
      'True answers 503 to everyone but admins, except for health, login and logout. Default false.',
    'maintenance.message': 'The `message` of these answers, at most 1,000 characters.',
    'webhooks.warn_owner': [
      'False sends no mail to the owner of a webhook subscription whose last 20 deliveries failed. Default true.',
      false,
    ],
  }),
]

export const SITE_MEMBERS: Description[] = [...HEALTH, ...MENUS, ...SETTINGS]
