// The endpoints of the site as a whole: health, settings and menus.
import * as z from 'zod/mini'
import { AUDIENCE_LIMITS } from '../http/audience.ts'
import { EmptyData, endpoint, group } from '../http/endpoint.ts'
import { Time } from '../http/time.ts'
import { HealthChecks } from './health.ts'
import { Location, Menu } from './menu.ts'
import { MenuInput } from './menu-input.ts'
import { PublicSettings, SETTING_GROUPS, Settings, SettingsChange, Value } from './settings.ts'

export const Health = z.object({
  status: z.enum(['ok', 'maintenance', 'degraded']),
  api_version: z.literal('v1'),
  cms_version: z.string(),
  time: Time,
  checks: z.optional(HealthChecks),
})

export const system = group(() => ({
  getHealth: endpoint({
    method: 'GET',
    path: '/api/v1/health',
    summary: 'Check the health of the service',
    message: 'The service is up.',
    query: z.object({ deep: z.optional(z.enum(['1'], 'Must be 1.')) }),
    abilityWith: { deep: 'admin' },
    isQuick: true,
    isCacheable: false,
    isOpenInMaintenance: true,
    // If the limiter cannot count because the table does not answer, the service is not well.
    limit: { ...AUDIENCE_LIMITS.public, failClosed: true },
    data: Health,
  }),
}))

/** The OpenAPI document: bare, counted as a public read, and not one of the endpoints that it describes. */
export const document = group(() => ({
  getDocument: endpoint({
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get the OpenAPI document',
    message: 'The document.',
    isOpenInMaintenance: true,
    isCacheable: false,
    data: EmptyData,
  }),
}))

const atLocation = z.object({ location: Location })

export const site = group(() => ({
  getPublicSettings: endpoint({
    method: 'GET',
    path: '/api/v1/settings/public',
    summary: 'Get the public settings',
    message: 'Settings.',
    data: PublicSettings,
  }),
  getMenu: endpoint({
    method: 'GET',
    path: '/api/v1/menus/{location}',
    summary: 'Get a menu',
    message: 'Menu.',
    params: atLocation,
    data: Menu,
  }),
}))

export const SettingItem = z.object({
  key: z.keyof(Settings),
  value: z.nullable(Value),
  group: z.string(),
  is_public: z.boolean(),
})

export const adminSite = group(() => ({
  listSettings: endpoint({
    method: 'GET',
    path: '/api/v1/admin/settings',
    audience: 'admin',
    summary: 'List settings',
    message: 'Settings.',
    query: z.object({ group: z.optional(z.enum(SETTING_GROUPS, 'Must be a group of settings.')) }),
    data: z.array(SettingItem),
  }),
  changeSettings: endpoint({
    method: 'PATCH',
    path: '/api/v1/admin/settings',
    audience: 'admin',
    summary: 'Change settings',
    message: 'Settings updated.',
    body: SettingsChange,
    data: z.array(SettingItem),
  }),
  listMenus: endpoint({
    method: 'GET',
    path: '/api/v1/admin/menus',
    audience: 'admin',
    summary: 'List all menus',
    message: 'Menus.',
    data: z.array(Menu),
  }),
  getMenu: endpoint({
    method: 'GET',
    path: '/api/v1/admin/menus/{location}',
    audience: 'admin',
    summary: 'Get a menu',
    message: 'Menu.',
    params: atLocation,
    data: Menu,
  }),
  putMenu: endpoint({
    method: 'PUT',
    path: '/api/v1/admin/menus/{location}',
    audience: 'admin',
    summary: 'Create or replace a menu',
    message: 'Menu saved.',
    params: atLocation,
    body: MenuInput,
    data: Menu,
  }),
  deleteMenu: endpoint({
    method: 'DELETE',
    path: '/api/v1/admin/menus/{location}',
    audience: 'admin',
    summary: 'Delete a menu',
    message: 'Menu deleted.',
    params: atLocation,
    data: EmptyData,
  }),
}))
