// Menus: saved as a whole, read as trees.
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { adminSite, site } from '../../shared/site/contract.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

function put(location: string, items: unknown) {
  return world.call(adminSite.putMenu, { token: world.admin, params: { location }, body: { items } })
}

function menu(location: string) {
  return world.call(site.getMenu, { params: { location } })
}

describe('menus', () => {
  const tree = [
    { label: ' Home ', url: '/' },
    {
      label: 'Docs',
      url: 'https://docs.example.com',
      target: '_blank',
      children: [{ label: 'Start', url: '#start' }],
    },
  ]

  it('are saved as a whole, with ids and positions from the service', async () => {
    expect((await menu('header')).code).toBe('NOT_FOUND')
    const saved = (await put('header', tree)).data
    const link = { target: '_self', type: 'custom_link', sort_order: 1, children: [] }
    const start = { ...link, id: 3, label: 'Start', url: '#start' }
    const docs = { ...tree[1], ...{ id: 2, type: 'custom_link', sort_order: 2, children: [start] } }
    const home = { ...link, id: 1, label: 'Home', url: '/' }
    expect(saved).toEqual({ location: 'header', items: [home, docs] })
    expect((await menu('header')).data).toEqual(saved)
    expect((await put('header', [])).data.items).toEqual([])
    await put('footer', tree)
    const all = (await world.call(adminSite.listMenus, { token: world.admin })).data
    expect(all.map(({ location }) => location)).toEqual(['footer', 'header'])
    const header = { token: world.admin, params: { location: 'header' } }
    const remove = () => world.call(adminSite.deleteMenu, header)
    expect((await remove()).status).toBe(200)
    expect((await menu('header')).code).toBe('NOT_FOUND')
    expect((await remove()).code).toBe('NOT_FOUND')
  })

  it('may have the maximum size', async () => {
    const longest = () => `/${randomBytes(1000).toString('hex')}`
    const items = Array.from({ length: 200 }, () => ({ label: 'x', url: longest() }))
    const { data } = await put('large', items)
    expect((await menu('large')).data).toEqual(data)
    const asAdmin = { token: world.admin, params: { location: 'large' } }
    expect((await world.call(adminSite.getMenu, asAdmin)).data).toEqual(data)
    await put('large', tree)
    expect((await menu('large')).data.items).toHaveLength(2)
  })

  const BAD_LINKS = [
    '//evil.example',
    '/\\evil.example',
    '/a\nb',
    '/\t/evil.example',
    '#\u2028a',
    'https://a.example/\tb',
    'https:a',
    'https:///evil.example',
    'http://\\evil.example',
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    '\u0001javascript:alert(1)',
    'java\tscript:alert(1)',
    'javascript%3Aalert(1)',
    '&#106;avascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'ftp://a.example',
    'sms:+4930123',
    'blob:https://a.example/1',
    'view-source:https://a.example',
    '\\\\evil.example',
    '\t//evil.example',
    '//%65vil.example',
    '%2F%2Fevil.example',
    'mailto:',
    'tel: ',
    'mailto:ada@example.com\r\nBcc: eve@example.com',
    'tel:\u0000+4930123',
    'mailto',
    'mail\nto:ada@example.com',
    'about',
    './about',
    '',
    ' ',
    `?${'q'.repeat(2_048)}`,
  ]
  it('return 422 for links which may lead elsewhere, run a script or hide something', async () => {
    const items = BAD_LINKS.map(url => ({ label: 'x', url }))
    const { fields } = await put('paths', items)
    expect(Object.keys(fields ?? {})).toEqual(BAD_LINKS.map((_, n) => `items.${n}.url`))
  })

  const LINKS = [
    'mailto:ada@example.com',
    'mailto:ada@bücher.example?subject=A question',
    'MAILTO:ada@example.com',
    'tel:+49-30-123',
    'tel:+49 30 123',
    '?q=two words',
    '?',
    '#',
    '#start',
    '/',
    '/a//b',
    '/%2Fa',
    '/?next=//a.example',
    'http://a.example',
    'HTTPS://a.example/?q#f',
  ]
  it('keep other links as given', async () => {
    const items = LINKS.map(url => ({ label: 'x', url: ` ${url} ` }))
    const { status, data } = await put('links', items)
    expect([status, data.items.map(({ url }) => url)]).toEqual([200, LINKS])
  })

  it('return 422 with every fault for a menu that is too deep or has too many items', async () => {
    const { fields } = await put('bad', [
      { label: '', url: 'javascript:alert(1)', target: '_top' },
      { children: [{}] },
    ])
    expect(Object.keys(fields ?? {}).sort()).toEqual([
      'items.0.label',
      'items.0.target',
      'items.0.url',
      'items.1.children.0.label',
      'items.1.children.0.url',
      'items.1.label',
      'items.1.url',
    ])
    expect((await put('bad', [null, 5])).fields).toEqual({
      'items.0': ['Must be an object.'],
      'items.1': ['Must be an object.'],
    })
    const deep = (levels: number): unknown => [
      { label: 'x', url: '/', children: levels > 1 ? deep(levels - 1) : [] },
    ]
    expect((await put('deep', deep(5))).status).toBe(200)
    expect((await put('deep', deep(6))).code).toBe('VALIDATION_ERROR')
    const many = Array.from({ length: 201 }, () => ({ label: 'x', url: '/' }))
    expect((await put('many', many)).code).toBe('VALIDATION_ERROR')
    for (const location of ['Header', 'a b', 'x'.repeat(51)]) {
      expect((await put(location, [])).code).toBe('NOT_FOUND')
    }
  })
})
