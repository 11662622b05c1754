// Guides to health, settings and menus, with an example of each.
import { type Guide, guideOf } from '../../http/guide.ts'
import { adminSite, site, system } from '../contract.ts'
import { settingItems, settingsFrom } from '../settings.ts'

const NAMED = { 'general.site_name': 'Example' } as const
const ITEMS = settingItems(settingsFrom(NAMED))

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

const LOCATION = { location: 'Place of the menu on the site: 1 to 50 of `a-z0-9_-`.' }

export const SITE_ENDPOINTS: Guide[] = [
  ...guideOf(
    system,
    {
      getHealth: {
        description: `Answers within a second, also in maintenance, or with 503 if the table does not answer. With \`deep=1\` each
          part is checked and \`status\` is \`degraded\` if one is not well.`,
        data: {
          status: 'ok',
          api_version: 'v1',
          cms_version: '1.0.0',
          time: '2026-05-26T15:00:00+00:00',
        },
      },
    },
    { deep: '`1` checks the table, the sweep and the outbox. For admins.' },
  ),
  ...guideOf(
    site,
    {
      getPublicSettings: {
        description:
          'An object of dotted keys. Settings that are unset or empty are left out, settings that are false are not.',
        data: {
          'general.site_name': 'Example',
          'comments.enabled': true,
          'comments.allow_guest_comments': false,
          'comments.require_approval': true,
        },
      },
      getMenu: { params: { location: 'main' }, data: MENU },
    },
    LOCATION,
  ),
  ...guideOf(
    adminSite,
    {
      listSettings: {
        description:
          'All settings, or those of one group, with the default of those that are unset. The keys are fixed.',
        data: ITEMS,
      },
      changeSettings: {
        description: `Sets all members of the body or, if one is not valid, none. Null unsets a setting, which brings its default
          back. An unknown key is a 422. A change shows in reads of settings immediately and acts everywhere within five seconds.`,
        body: NAMED,
        data: ITEMS,
      },
      listMenus: { description: 'The list is whole.', data: [MENU] },
      getMenu: { params: { location: 'main' }, data: MENU },
      putMenu: {
        description: `A menu is a tree of at most five levels and 200 links. All menus together must fit in one answer of 5.9 MB: above
          that it is a 422 on \`items\`.`,
        params: { location: 'main' },
        body: { items: [{ label: 'Blog', url: '/blog', children: [{ label: 'News', url: '/blog/news' }] }] },
        data: MENU,
      },
      deleteMenu: { description: 'The location is a 404 from then on.', params: { location: 'footer' } },
    },
    { ...LOCATION, group: ['Only the settings of this group. By default all.', 'general'] },
  ),
]
