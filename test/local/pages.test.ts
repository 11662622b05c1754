// The pages of the local run: the home page, and security headers of every page.
import { describe, expect, it } from 'vitest'
import { PAGE_PATHS } from '../../infra/local/pages/pages.ts'
import { rawRequest } from '../support/raw.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

function get(path: string) {
  return rawRequest(world.baseUrl, 'GET', path)
}

describe('GET /', () => {
  it('returns a page whose links all work', async () => {
    const { status, headers, text } = await get('/')
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const links = [...text.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, path = '']) => path)
    expect(links).toEqual(expect.arrayContaining(['/docs', '/openapi.json', '/api/v1/health', '/readme']))
    for (const path of links) expect([path, (await get(path)).status]).toEqual([path, 200])
    expect((await get('/readme')).text).toMatch(/^# Headless content service/)
  })
})

describe('every page of the local run', () => {
  const paths = PAGE_PATHS.map(path => path || '/')

  it('sends headers against frames, type guessing and requests to other machines', async () => {
    for (const path of paths) {
      const { status, headers } = await get(path)
      expect([path, status]).toEqual([path, 200])
      expect(headers['content-security-policy']).toContain("default-src 'self'")
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(headers['x-frame-options']).toBe('DENY')
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
  })

  it('gives web pages of other origins no answer that their scripts can read', async () => {
    for (const path of paths) {
      for (const Origin of ['https://evil.example', 'null', 'http://localhost:4000']) {
        const { status, headers } = await rawRequest(world.baseUrl, 'GET', path, { headers: { Origin } })
        const readable = Object.keys(headers).filter(name => name.startsWith('access-control'))
        expect([path, status, readable]).toEqual([path, 200, []])
        expect(headers['cross-origin-resource-policy']).toBe('same-origin')
      }
    }
  })
})
