// Checks that CloudFormation and the functions accept the same values of parameters.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSettings } from '../../infra/stage-settings.ts'
import { readEnvironment } from '../../shared/runtime/environment.ts'
import { PARAMETERS, type ParameterName } from '../../shared/runtime/parameters.ts'
import { readTemplate } from './template.ts'

const template = readTemplate()
type StackParameter = Exclude<ParameterName, 'MailSender'>

/** Whether the functions accept the value. */
function isReadable(name: ParameterName, value: string): boolean {
  try {
    readEnvironment({ TABLE_NAME: 't', SITE_URL: 'https://a.example', [PARAMETERS[name].variable]: value })
    return true
  } catch {
    return false
  }
}

const GOOD: Record<StackParameter, string[]> = {
  SiteUrl: [
    'https://example.com/',
    'http://127.0.0.1:3000',
    'http://localhost:65535/blog/',
    'https://xn--bcher-kva.example/a%20b',
    'http://my_host:8080',
    'http://[::1]:3000',
  ],
  LimitScale: ['1', '0.5', '10000', '0.000001', '100000000', '2.50', '01'],
  AllowedWebhookHosts: ['', 'hooks.internal', '10.0.0.5:8080, hooks.internal', '[fd00::5]:443'],
  LogLevel: ['debug', 'info', 'warn', 'error'],
}
const BAD: Record<StackParameter, string[]> = {
  SiteUrl: [
    'example.com',
    'https://',
    'javascript:alert(1)',
    'https://user@example.com',
    'https://example.com?a=1',
    'https://example.com#a',
    'https://example.com:70000',
    'https://999.1.1.1',
    'https://exa mple.com',
    'https://example.com\n',
    'https://bücher.example',
    'http://[::::]',
  ],
  LimitScale: ['0', '0.0', '', '-1', '1e3', '0x10', 'NaN', '1.', '.5', ' 1', '٣', '1000000000000000000'],
  AllowedWebhookHosts: ['http://a', '[:::]:80', 'a,,b', 'a:', 'a:0', 'a:65536', 'a b', ',', 'a\nb'],
  LogLevel: ['', 'trace', 'INFO', 'info,warn'],
}

describe.each(Object.keys(GOOD) as StackParameter[])('the parameter %s', name => {
  const { pattern } = PARAMETERS[name]

  it.each(GOOD[name])('accepts %j', value => expect(isReadable(name, value)).toBe(true))
  it.each(BAD[name])('refuses %j', value => expect(isReadable(name, value)).toBe(false))

  it('has the same pattern in the template, where an empty SiteUrl is the address of the stack', () => {
    const { AllowedPattern } = template.parameters[name] ?? {}
    expect(AllowedPattern).toBe(name === 'SiteUrl' ? `(${pattern})?` : pattern)
  })

  it('has a pattern that means the same in Java and in JavaScript', () => {
    expect(pattern).toMatch(/^[\x20-\x7e]*$/)
    expect(pattern).not.toMatch(/\\[a-zA-Z]|\(\?|&&/)
  })
})

describe('an accepted SiteUrl', () => {
  it('is a URL without a user, query or fragment', () => {
    const port = fc.option(fc.integer({ min: 0, max: 70_000 }))
    const host = fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV6().map(address => `[${address}]`),
      fc
        .array(fc.constantFrom('', '0', 'ffff', 'fffff'), { maxLength: 9 })
        .map(groups => `[${groups.join(':')}]`),
      fc.string(),
    )
    fc.assert(
      fc.property(
        fc.constantFrom('http', 'https'),
        host,
        port,
        fc.webPath(),
        (scheme, name, number, path) => {
          const text = `${scheme}://${name}${number === null ? '' : `:${number}`}${path}`
          if (!isReadable('SiteUrl', text) || /xn--/i.test(text)) return
          const { username, search, hash, protocol } = new URL(text)
          expect([text, username, search, hash, protocol]).toEqual([text, '', '', '', `${scheme}:`])
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

describe('the template', () => {
  it('does not allow webhooks to loopback addresses, which only the local run does', () => {
    expect(Object.keys(template.parameters)).not.toContain('AllowLoopbackWebhooks')
    expect(template.text).not.toContain('ALLOW_LOOPBACK_WEBHOOKS')
  })
})

describe('readEnvironment', () => {
  it('names every invalid variable with its requirement', () => {
    expect(() => readEnvironment({ TABLE_NAME: 't', SITE_URL: 'example.com', LIMIT_SCALE: '0' })).toThrow(
      'The environment of this function cannot be used: ' +
        'SITE_URL must be an http or https URL without a query, such as https://example.com; ' +
        'LIMIT_SCALE must be a decimal number above 0, such as 1 or 2.5.',
    )
  })
})

describe('the sender of a stage', () => {
  const read = (mailSender: string) => readSettings(name => ({ mailSender })[name]).mailSender

  it.each(['content@example.com', 'content@localhost', "o'neil+news@mail.example"])('may be %s', sender => {
    expect([read(sender), isReadable('MailSender', sender)]).toEqual([sender, true])
  })

  it.each([
    '',
    'content',
    'A <a@b.example>',
    'a@b@c.example',
    'a@b.example,c@d.example',
    'a@b.example\u00a0',
  ])('cannot be %j', sender => expect(() => read(sender)).toThrow('mailSender'))
})
