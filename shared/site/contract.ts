// The endpoints of the site as a whole: health, settings and menus.
import * as z from 'zod/mini'
import { AUDIENCE_LIMITS } from '../http/audience.ts'
import { endpoint, group } from '../http/endpoint.ts'
import { members } from '../http/members.ts'
import { Time } from '../http/time.ts'
import { Location, Menu, MenuInput } from './menu.ts'
import {
  PublicSettings,
  SETTING_GROUPS,
  Settings,
  SettingsChange,
  settingItems,
  settingsFrom,
  Value,
} from './settings.ts'

const Health = members({
  status: [z.enum(['ok', 'maintenance']), '`ok`, or `maintenance` if only admins get other answers.'],
  api_version: [z.literal('v1'), 'Version of the API, as in its paths.'],
  cms_version: [z.string(), 'Version of the service.', '1.0.0'],
  time: [Time, 'Time of the answer, in UTC.'],
})

export const system = group({ public: 'Health of the service.' }, () => ({
  getHealth: endpoint({
    method: 'GET',
    path: '/api/v1/health',
    summary: 'Check the health of the service',
    description: 'Answers within a second, also in maintenance, or with 503 if the table does not answer.',
    message: 'The service is up.',
    isQuick: true,
    isCacheable: false,
    isOpenInMaintenance: true,
    // If the limiter cannot count because the table does not answer, the service is not well.
    limit: { ...AUDIENCE_LIMITS.public, failClosed: true },
    data: Health,
    example: {
      data: {
        status: 'ok',
        api_version: 'v1',
        cms_version: '1.0.0',
        time: '2026-05-26T15:00:00+00:00',
      },
    },
  }),
}))

/** The OpenAPI document: bare, counted as a public read, and not one of the endpoints that it describes. */
export const document = group({}, () => ({
  getDocument: endpoint({
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get the OpenAPI document',
    message: 'The document.',
    isOpenInMaintenance: true,
    isCacheable: false,
  }),
}))

const atLocation = members({ location: [Location, 'Place of the menu on the site: 1 to 50 of `a-z0-9_-`.'] })

const LINK = { target: '_self' as const, type: 'custom_link' as const }
const MENU = {
  location: 'main',
  items: [
    {
      ...LINK,
      id: 1,
      label: 'Blog',
      url: '/blog',
      sort_order: 1,
      children: [{ ...LINK, id: 2, label: 'News', url: '/blog/news', sort_order: 1, children: [] }],
    },
  ],
}

export const site = group({ public: 'Public settings and menus.' }, () => ({
  getPublicSettings: endpoint({
    method: 'GET',
    path: '/api/v1/settings/public',
    summary: 'Get the public settings',
    description:
      'An object of dotted keys. Settings that are unset or empty are left out, settings that are false are not.',
    message: 'Settings.',
    data: PublicSettings,
    example: {
      data: {
        'general.site_name': 'Example',
        'comments.enabled': true,
        'comments.allow_guest_comments': false,
        'comments.require_approval': true,
      },
    },
  }),
  getMenu: endpoint({
    method: 'GET',
    path: '/api/v1/menus/{location}',
    summary: 'Get a menu',
    message: 'Menu.',
    params: atLocation,
    data: Menu,
    example: { params: { location: 'main' }, data: MENU },
  }),
}))

const SettingItem = members({
  key: [z.keyof(Settings), 'Name of the setting, its group first.'],
  value: [z.nullable(Value), 'What is set, or the default; null if there is neither.'],
  group: [z.string(), 'The part of the key before the dot.'],
  is_public: [z.boolean(), 'Whether `GET /api/v1/settings/public` shows it.'],
})

const NAMED = { 'general.site_name': 'Example' } as const
const ITEMS = settingItems(settingsFrom(NAMED))

export const adminSite = group({ admin: 'Write settings and menus. Needs the ability `admin`.' }, () => ({
  listSettings: endpoint({
    method: 'GET',
    path: '/api/v1/admin/settings',
    summary: 'List settings',
    description:
      'All settings, or those of one group, with the default of those that are unset. The keys are fixed.',
    message: 'Settings.',
    query: members({
      group: [
        z.optional(z.enum(SETTING_GROUPS, 'Must be a group of settings.')),
        'Only the settings of this group. By default all.',
        'general',
      ],
    }),
    data: z.array(SettingItem),
    example: { data: ITEMS },
  }),
  changeSettings: endpoint({
    method: 'PATCH',
    path: '/api/v1/admin/settings',
    summary: 'Change settings',
    description: `Sets all members of the body or, if one is not valid, none. Null unsets a setting, which brings its default
          back. An unknown key is a 422. A change shows in reads of settings immediately and acts everywhere within five seconds.`,
    message: 'Settings updated.',
    body: SettingsChange,
    data: z.array(SettingItem),
    example: { body: NAMED, data: ITEMS },
  }),
  listMenus: endpoint({
    method: 'GET',
    path: '/api/v1/admin/menus',
    summary: 'List all menus',
    description: 'The list is whole.',
    message: 'Menus.',
    data: z.array(Menu),
    example: { data: [MENU] },
  }),
  getMenu: endpoint({
    method: 'GET',
    path: '/api/v1/admin/menus/{location}',
    summary: 'Get a menu',
    message: 'Menu.',
    params: atLocation,
    data: Menu,
    example: { params: { location: 'main' }, data: MENU },
  }),
  putMenu: endpoint({
    method: 'PUT',
    path: '/api/v1/admin/menus/{location}',
    summary: 'Create or replace a menu',
    description: 'A menu is a tree of at most five levels and 200 links.',
    message: 'Menu saved.',
    params: atLocation,
    body: MenuInput,
    data: Menu,
    example: {
      params: { location: 'main' },
      body: { items: [{ label: 'Blog', url: '/blog', children: [{ label: 'News', url: '/blog/news' }] }] },
      data: MENU,
    },
  }),
  deleteMenu: endpoint({
    method: 'DELETE',
    path: '/api/v1/admin/menus/{location}',
    summary: 'Delete a menu',
    description: 'The location is a 404 from then on.',
    message: 'Menu deleted.',
    params: atLocation,
    example: { params: { location: 'footer' } },
  }),
}))
