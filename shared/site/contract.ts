// The site as a whole: is it well, what is it called, where do its menus lead.
import * as z from 'zod/mini'
import { AUDIENCE_LIMITS } from '../http/audience.ts'
import { EmptyData, endpoint, group } from '../http/endpoint.ts'
import { Time } from '../http/time.ts'
import { HealthChecks } from './health.ts'
import { Location, Menu, MenuInput } from './menu.ts'
import { SETTING_GROUPS, Settings, SettingsChange } from './settings.ts'

const Value = z.union([z.string(), z.number(), z.boolean()])

export const system = group(() => ({
  getHealth: endpoint({
    method: 'GET',
    path: '/api/v1/health',
    summary: 'Check the service; `deep=1` checks each part (admins)',
    message: 'The service is up.',
    query: z.object({ deep: z.optional(z.enum(['1'], 'Must be 1.')) }),
    abilityWith: { deep: 'admin' },
    isQuick: true,
    isCacheable: false,
    isOpenInMaintenance: true,
    // Where the table does not answer, the service is not well.
    limit: { ...AUDIENCE_LIMITS.public, failClosed: true },
    data: z.object({
      status: z.enum(['ok', 'maintenance', 'degraded']),
      api_version: z.literal('v1'),
      cms_version: z.string(),
      time: Time,
      checks: z.optional(HealthChecks),
    }),
  }),
}))

const atLocation = z.object({ location: Location })

export const site = group(() => ({
  getPublicSettings: endpoint({
    method: 'GET',
    path: '/api/v1/settings/public',
    summary: 'The settings that anybody may see, by their dotted keys',
    message: 'Settings.',
    data: z.record(z.string(), Value),
  }),
  getMenu: endpoint({
    method: 'GET',
    path: '/api/v1/menus/{location}',
    summary: 'One menu as a tree',
    message: 'Menu.',
    params: atLocation,
    data: Menu,
  }),
}))

const SettingItem = z.object({
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
    summary: 'All settings, or those of one group',
    message: 'Settings.',
    query: z.object({ group: z.optional(z.enum(SETTING_GROUPS, 'Must be a group of settings.')) }),
    data: z.array(SettingItem),
  }),
  changeSettings: endpoint({
    method: 'PATCH',
    path: '/api/v1/admin/settings',
    audience: 'admin',
    summary: 'Other values for some settings, all or none; null takes one back',
    message: 'Settings updated.',
    body: SettingsChange,
    data: z.array(SettingItem),
  }),
  listMenus: endpoint({
    method: 'GET',
    path: '/api/v1/admin/menus',
    audience: 'admin',
    summary: 'All menus',
    message: 'Menus.',
    data: z.array(Menu),
  }),
  getMenu: endpoint({
    method: 'GET',
    path: '/api/v1/admin/menus/{location}',
    audience: 'admin',
    summary: 'One menu',
    message: 'Menu.',
    params: atLocation,
    data: Menu,
  }),
  putMenu: endpoint({
    method: 'PUT',
    path: '/api/v1/admin/menus/{location}',
    audience: 'admin',
    summary: 'A menu in place of the one at this location, if any',
    message: 'Menu saved.',
    params: atLocation,
    body: MenuInput,
    data: Menu,
  }),
  deleteMenu: endpoint({
    method: 'DELETE',
    path: '/api/v1/admin/menus/{location}',
    audience: 'admin',
    summary: 'The location has no menu any more',
    message: 'Menu deleted.',
    params: atLocation,
    data: EmptyData,
  }),
}))
