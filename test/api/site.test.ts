// Public and admin settings, and maintenance.
import { describe, expect, it } from 'vitest'
import { adminSite, site } from '../../shared/site/contract.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ settings: {} })

function change(body: unknown) {
  return world.call(adminSite.changeSettings, { token: world.admin, body })
}

async function listed(query = {}) {
  return (await world.call(adminSite.listSettings, { token: world.admin, query })).data
}

async function shown() {
  return (await world.call(site.getPublicSettings)).data
}

const DEFAULTS = {
  'comments.enabled': true,
  'comments.allow_guest_comments': false,
  'comments.require_approval': true,
}

describe('GET /api/v1/settings/public', () => {
  it('returns defaults, and new values immediately, but no internal, null or empty values', async () => {
    expect(await shown()).toEqual(DEFAULTS)
    const visible = {
      'general.site_name': 'Ours',
      'general.logo_url': 'https://a.b/l.png',
      'comments.enabled': false,
    }
    const hidden = { 'general.site_tagline': '', 'maintenance.message': 'Soon' }
    await change({ ...visible, ...hidden })
    expect(await shown()).toEqual({ ...DEFAULTS, ...visible })
    const keys = Object.keys({ ...visible, ...hidden })
    await change(Object.fromEntries(keys.map(key => [key, null])))
    expect(await shown()).toEqual(DEFAULTS)
  })
})

describe('GET and PATCH /api/v1/admin/settings', () => {
  it('lists all settings or one group, and changes all members or none', async () => {
    const siteUrl = { key: 'site.url', value: null, group: 'site', is_public: false }
    expect((await listed()).find(({ key }) => key === 'site.url')).toEqual(siteUrl)
    const social = await listed({ group: 'social' })
    expect(new Set(social.map(({ group }) => group))).toEqual(new Set(['social']))

    const faulty = {
      'blog.posts_per_page': 'ten',
      'comments.enabled': 'yes',
      'general.colour': 'red',
      'site.url': 'nowhere',
    }
    const { fields } = await change({ 'general.site_name': 'No', ...faulty })
    expect(Object.keys(fields ?? {}).sort()).toEqual(Object.keys(faulty))
    expect(Object.keys(await shown())).not.toContain('general.site_name')
  })

  it.each([
    ['general.timezone', ['Europe/Paris', ' UTC ', 'Asia/Kolkata', 'america/new_york', 'Etc/GMT+2']],
    ['general.locale', ['en', 'pt-BR', 'zh-Hant-TW', ' de-DE-u-co-phonebk ', 'EN-us', 'es-419']],
    ['general.contact_email', ['ada@example.com', ' Ada@Bücher.example ']],
    ['general.logo_url', ['https://a.example/l.png']],
    ['site.url', ['https://a.example:8443/deep/er']],
  ])('accepts values of the kind of %s, empty texts and null', async (key, values) => {
    const none = typeof values[0] === 'string' ? ['', null] : [null]
    for (const value of [...values, ...none]) {
      const { status, data } = await change({ [key]: value })
      const stored = typeof value === 'string' ? value.trim() : value
      expect([status, data.find(item => item.key === key)?.value]).toEqual([200, stored])
    }
  })

  const NO_URL = ['nowhere', '/logo.png', '//a.example', 'javascript:alert(1)', 'https://a.example/\tb', 7]
  it.each([
    ['general.timezone', ['Mars/Olympus', 'Europe/', 'Paris, France', 'Europe/Par\u0000is', '\u0001', 7]],
    ['general.locale', ['en_US', 'english language', 'e', 'de-', '*', 'en-US,de', 'x'.repeat(1_001), []]],
    [
      'general.contact_email',
      ['x', 'ada@', '@example.com', 'Ada <ada@example.com>', 'a@b.example\nBcc: c', 7],
    ],
    ['general.logo_url', NO_URL],
    ['general.favicon_url', NO_URL],
    ['seo.fallback_image', NO_URL],
    [
      'site.url',
      [
        ...NO_URL,
        'https://a.example/?b',
        'https://a.example#c',
        'https://me:pw@a.example',
        'https://@a.example/',
      ],
    ],
    ['blog.posts_per_page', [1.5, '12']],
    ['comments.enabled', ['yes', 1, 'true']],
    ['general.site_name', ['x'.repeat(1_001), 7, {}]],
  ])('returns 422 for values that are not of the kind of %s', async (key, values) => {
    for (const value of values) {
      const { status, fields } = await change({ [key]: value })
      expect([value, status, Object.keys(fields ?? {})]).toEqual([value, 422, [key]])
    }
  })

  it('keeps all of many concurrent changes', async () => {
    const names = ['twitter', 'github', 'linkedin', 'facebook', 'youtube', 'instagram', 'discord']
    const keys = names.map(name => `social.${name}`)
    await Promise.all(keys.map(key => change({ [key]: key })))
    expect(await shown()).toMatchObject(Object.fromEntries(keys.map(key => [key, key])))
  })

  it('uses site.url as the base of every public URL', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url)
    await change({ 'site.url': 'https://example.com/' })
    const moved = await until('a URL of the new site', async () => {
      const { slug } = await world.create.livePost()
      const event = await until('its event', () => subscriber.received.find(({ data }) => data.slug === slug))
      return event.data.url === `https://example.com/blog/${slug}`
    })
    expect(moved).toBe(true)
    await change({ 'site.url': null })
  })
})
