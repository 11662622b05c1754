// Headers and body of a subscription: what is refused, what stands for values, and what the log shows.
import { describe, expect, it } from 'vitest'
import { bodyFrom, faultOfBody, faultOfHeaders, withHidden } from '../../shared/webhooks/own-request.ts'

const ENVELOPE = JSON.stringify({
  event: 'batch',
  occurred_at: '2026-05-26T12:00:00+00:00',
  data: { id: 4, count: 3, cursor: 'here' },
})

function render(template: unknown, envelope = ENVELOPE) {
  return JSON.parse(bodyFrom(JSON.stringify(template), envelope, () => 'computed'))
}

describe('a body', () => {
  it('has the values in place of texts that name them exactly, at any depth', () => {
    const template = { a: ['{{event}}', { b: '{{occurred_at}}' }], c: ['{{id}}', '{{count}}', '{{cursor}}'] }
    const rendered = { a: ['batch', { b: '2026-05-26T12:00:00+00:00' }], c: [4, 3, 'here'] }
    expect(render(template)).toEqual(rendered)
    expect(render({ all: '{{payload}}' })).toEqual({ all: JSON.parse(ENVELOPE) })
  })

  it('keeps every other text, and values that look like a name', () => {
    for (const text of ['{{ event }}', 'on {{event}}', '{{secret}}', '{{event}}{{id}}']) {
      expect(render(text)).toBe(text)
    }
    const tricky = JSON.stringify({ event: '{{payload}}', occurred_at: '', data: { id: '{{cursor}}' } })
    expect(render(['{{event}}', '{{id}}'], tricky)).toEqual(['{{payload}}', '{{cursor}}'])
    expect(render({ '{{event}}': 1 })).toEqual({ '{{event}}': 1 })
    for (const kept of ['"{{event}}', '"{{event}}"', '\\"{{id}}', ',"{{count}}",', { '"{{id}}': 1 }, '$&']) {
      expect(render([kept, '{{id}}'])).toEqual([kept, 4])
    }
  })

  it('may be nested as deeply as fits, and keeps its members as they were sent', () => {
    const deep = `${'['.repeat(4_000)}"{{id}}"${']'.repeat(4_000)}`
    expect(faultOfBody(JSON.parse(deep))).toBeUndefined()
    expect(bodyFrom(deep, ENVELOPE, () => '')).toBe(deep.replace('"{{id}}"', '4'))
    expect(bodyFrom('{"__proto__":["{{id}}"]}', ENVELOPE, () => '')).toBe('{"__proto__":[4]}')
  })

  it('of a single event counts one, and has a cursor of its own', () => {
    const single = JSON.stringify({ event: 'post.updated', occurred_at: '', data: { id: 7 } })
    expect(render(['{{id}}', '{{count}}', '{{cursor}}'], single)).toEqual([7, 1, 'computed'])
  })

  it('is refused if it is too large, too deep, not UTF-8, or would repeat the payload', () => {
    const deep = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000))
    for (const bad of [
      'x'.repeat(8_192),
      deep,
      { a: '\ud800' },
      { '\udc00': 1 },
      '\\\ud800',
      ['x', { b: '\ud83d\ude00\ud83d' }],
      ['{{payload}}', '{{payload}}'],
    ]) {
      expect(faultOfBody(bad)).toEqual(expect.any(String))
    }
    const fitting = 'x'.repeat(8_190)
    for (const good of [null, 0, '', [], {}, fitting, '{{payload}}', '😀', '\\ud800', '\\\\ud800']) {
      expect(faultOfBody(good)).toBeUndefined()
    }
  })
})

describe('headers', () => {
  it.each([
    ...['Signature', 'webhook-id', 'Webhook-Extra', 'X-Request-Id'],
    ...['Host', 'Content-Type', 'content-encoding', 'Transfer-Encoding', 'TE', 'Trailer'],
    ...['Connection', 'Keep-Alive', 'Proxy-Authorization', 'Upgrade'],
    ...['', 'a b', 'a:b', 'ä', 'a\r\nb'],
  ])('may not be %j', name => {
    expect(faultOfHeaders({ [name]: 'x' })).toEqual(expect.any(String))
  })

  it('may have any other name, and printable values', () => {
    const headers = { Authorization: 'Bearer a.b', 'User-Agent': 'site', 'PRIVATE-TOKEN': '', 'x-y_z': '~ !' }
    expect(faultOfHeaders(headers)).toBeUndefined()
    expect(faultOfHeaders({})).toBeUndefined()
  })

  it('are refused without naming a value that HTTP cannot carry', () => {
    for (const value of ['secret\r\nX: y', 'secret\0', 'sécret', 'secret\t']) {
      const fault = faultOfHeaders({ Authorization: value })
      expect(fault).toContain('Authorization')
      expect(fault).not.toContain('cret')
    }
  })

  it('are at most 10 of 4 kB in all, each once', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, '']))
    expect(faultOfHeaders(many(10))).toBeUndefined()
    expect(faultOfHeaders(many(11))).toEqual(expect.any(String))
    expect(faultOfHeaders({ a: 'x'.repeat(4_095) })).toBeUndefined()
    expect(faultOfHeaders({ a: 'x'.repeat(4_096) })).toEqual(expect.any(String))
    expect(faultOfHeaders({ a: '', A: '' })).toEqual(expect.any(String))
  })

  it('are in the log by name, instead of those that they replace', () => {
    expect(withHidden({ 'User-Agent': 'ours', Host: 'a' }, ['user-agent', 'Authorization'])).toEqual({
      Host: 'a',
      'user-agent': '(not shown)',
      Authorization: '(not shown)',
    })
  })
})
