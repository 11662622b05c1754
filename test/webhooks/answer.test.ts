// What the log keeps of a receiver's answer: packed into few bytes, and read again as it came.
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { keptHeaders, packAnswer, unpackAnswer } from '../../shared/webhooks/answer.ts'
import { sizeOf } from '../../shared/webhooks/record-size.ts'

const HEADERS = ['Content-Type', 'text/html; charset=utf-8', 'Set-Cookie', 'a=1', 'set-cookie', 'b=2: c']
const PAGE = `<!DOCTYPE html><html><body><h1>Bad Gateway</h1>${'<p>Grüße 👋</p>'.repeat(30)}`

describe('the headers of an answer', () => {
  it('are kept whole and in order, up to 2 kB', () => {
    const many = Array.from({ length: 100 }, (_, n) => [`X-Header-${n}`, 'x'.repeat(50)]).flat()
    const kept = keptHeaders(many)
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(2_048)
    expect(Buffer.byteLength(kept)).toBeGreaterThan(1_900)
    expect(kept.split('\n').slice(0, 2)).toEqual([
      `x-header-0: ${'x'.repeat(50)}`,
      `x-header-1: ${'x'.repeat(50)}`,
    ])
  })
})

describe('a packed answer', () => {
  it.each([
    ['an empty one', [], ''],
    ['one without a body', HEADERS, ''],
    ['one without headers', [], '\n\nthanks'],
    ['a short one', HEADERS, 'thanks\n\nagain'],
    ['a page', HEADERS, PAGE],
  ])('is read again: %s', (_what, raw, body) => {
    const start = Buffer.from(body).subarray(0, 1_024)
    for (const room of [50, 100, 5_000]) {
      const { headers, body_start } = unpackAnswer(
        packAnswer({ headers: keptHeaders(raw), start }, room, 2_000),
      )
      expect(headers).toEqual(
        raw.length > 0 ? { 'content-type': 'text/html; charset=utf-8', 'set-cookie': 'a=1, b=2: c' } : {},
      )
      expect(body_start).toBe(new TextDecoder().decode(start, { stream: true }))
    }
  })

  it('fits in 450 bytes for a usual page of a failure, of 1,024 bytes', () => {
    const start = Buffer.from(PAGE.padEnd(1_024, ' ')).subarray(0, 1_024)
    expect(packAnswer({ headers: keptHeaders(HEADERS), start }, 450, 450).length).toBeLessThanOrEqual(450)
  })

  it('leaves out headers, and nothing of the body, if both do not fit', () => {
    const start = Buffer.from(randomBytes(512).toString('hex'))
    const headers = keptHeaders([...HEADERS, 'X-Noise', randomBytes(700).toString('base64')])
    const packed = packAnswer({ headers, start }, 300, 1_300)
    expect(packed.length).toBeLessThanOrEqual(1_300)
    const { headers: kept, body_start } = unpackAnswer(packed)
    expect(body_start).toBe(start.toString())
    expect(Object.keys(kept)).toEqual(['content-type', 'set-cookie'])
  })

  it('has the replacement character for bytes that are no UTF-8, and no part of a cut character', () => {
    const start = Buffer.concat([Buffer.of(0xff, 0x41), Buffer.from('é').subarray(0, 1)])
    expect(unpackAnswer(packAnswer({ headers: '', start }, 100, 100)).body_start).toBe('\ufffdA')
  })

  it.each(['👩‍👩‍👧', '👍🏽', 'e\u0301'])('has no part of %s at the end of its 1,024 bytes', cluster => {
    const before = 'x'.repeat(1_024 - Buffer.byteLength(cluster) + 1)
    const start = Buffer.from(`${before}${cluster}`).subarray(0, 1_024)
    expect(unpackAnswer(packAnswer({ headers: '', start }, 1_024, 2_000)).body_start).toBe(before)
    const whole = Buffer.from(`x${cluster}`)
    expect(unpackAnswer(packAnswer({ headers: '', start: whole }, 100, 100)).body_start).toBe(`x${cluster}`)
  })
})

describe('the size of an item', () => {
  it('counts the bytes of names and values', () => {
    expect(sizeOf({ pk: 'é', n: 17, none: undefined })).toBeGreaterThanOrEqual('pk'.length + 2 + 1 + 2)
    expect(sizeOf({ a: { b: 'ccc' } })).toBeGreaterThanOrEqual(1 + 3 + 1 + 1 + 3)
    expect(sizeOf({ text: 'x'.repeat(500) })).toBeLessThan(520)
  })
})
