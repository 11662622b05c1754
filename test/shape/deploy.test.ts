// Tests that `npm run deploy` uses a stage's values, and stops if it would drop what is hard to get back.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { dropsOf, Template } from '../../infra/drops.ts'
import { synthesizeHere } from './smoke-stack.ts'

const DOMAIN = { domain: 'content.example', certificate: 'arn:aws:acm:us-east-1:0:certificate/1' }
const SHIELD = { webAcl: 'arn:aws:wafv2:us-east-1:0:regional/webacl/a/1' }

function templateOf(context: Record<string, string>): Template {
  return Template.parse({ Resources: synthesizeHere({ context }).resources })
}

const plain = templateOf({ shield: 'false' })
const guarded = templateOf({ ...DOMAIN, ...SHIELD })

describe('dropsOf', () => {
  it('finds nothing in the same template, or in one with a domain and a shield more', () => {
    expect(dropsOf(plain, plain)).toEqual([])
    expect(dropsOf(plain, guarded)).toEqual([])
  })

  it('finds a domain and a shield that are missing in the next template', () => {
    expect(dropsOf(guarded, plain).sort()).toEqual([
      'It would drop the domain content.example: requests to it would fail.',
      `It would drop the shield ${SHIELD.webAcl}: its rule would not hold back a flood.`,
    ])
  })

  it('finds the shield of the stack that a value switches off', () => {
    expect(dropsOf(templateOf({}), plain)).toEqual([
      'It would drop the shield of the stack: its rule would not hold back a flood.',
    ])
    expect(dropsOf(plain, templateOf({}))).toEqual([])
  })

  it('finds daily backups that a value no longer orders, but no other number of days', () => {
    const daily = templateOf({ shield: 'false', backupDays: '365' })
    expect(dropsOf(daily, plain)).toEqual([
      'It would drop the daily backups: only those that exist would be kept, until their days are over.',
    ])
    expect(dropsOf(daily, templateOf({ shield: 'false', backupDays: '90' }))).toEqual([])
  })

  it('finds a domain that is replaced by another', () => {
    const other = templateOf({ ...DOMAIN, ...SHIELD, domain: 'other.example' })
    expect(dropsOf(guarded, other)).toEqual([
      'It would drop the domain content.example: requests to it would fail.',
    ])
  })

  it('finds the protection that a disposable stage does not have', () => {
    expect(dropsOf(plain, templateOf({ disposable: 'true' }))).toEqual([
      'It would drop the deletion protection and the backups of the table.',
    ])
  })

  it('finds a table and secrets that are removed or replaced', () => {
    const renamed = Object.fromEntries(
      Object.entries(plain.Resources).map(([id, resource]) => [`Other${id}`, resource]),
    )
    expect(dropsOf(plain, { Resources: renamed }).sort()).toEqual([
      'It would drop the secret ClientKey: what is stored under it could not be read any more.',
      'It would drop the secret PrivateKey: what is stored under it could not be read any more.',
      'It would drop the secret PrivateKey: what is stored under it could not be read any more.',
      'It would drop the table: the service would start with an empty one.',
    ])
  })
})

/** An AWS in which a stack with this template is deployed, or none. It answers nothing else. */
async function startAws(deployed: Template | undefined) {
  const server = createServer(async (request, response) => {
    const call = new URLSearchParams((await request.toArray()).join(''))
    response.setHeader('Content-Type', 'text/xml')
    if (call.get('Action') !== 'GetTemplate' || !deployed) {
      const message = `Stack with id ${call.get('StackName')} does not exist`
      response.writeHead(400)
      response.end(
        `<ErrorResponse><Error><Code>ValidationError</Code><Message>${message}</Message></Error></ErrorResponse>`,
      )
    } else {
      const body = JSON.stringify(deployed).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
      response.end(
        `<GetTemplateResponse><GetTemplateResult><TemplateBody>${body}</TemplateBody></GetTemplateResult></GetTemplateResponse>`,
      )
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`
}

async function deploy(deployed: Template | undefined, ...words: string[]) {
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL: await startAws(deployed),
  }
  const argv = ['infra/deploy.ts', 'live', '--app', inject('assembly'), ...words]
  return await promisify(execFile)(process.execPath, argv, { env, timeout: 60_000 }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error: { code: number; stderr: string }) => error,
  )
}

describe('npm run deploy', () => {
  it('names a value that is invalid, without a stack trace', async () => {
    const { code, stderr } = await deploy(guarded, '-c', 'disposable=perhaps')
    expect(code).toBe(1)
    expect(stderr).toBe(
      'The context (-c name=value) is invalid:\n✖ must be true or false\n  → at disposable\n',
    )
  })

  it('stops before it runs cdk if it would drop something', async () => {
    const { code, stderr } = await deploy(guarded)
    expect(code).toBe(1)
    expect(stderr).toContain('It would drop the domain content.example')
    expect(stderr).toMatch(
      /Nothing was deployed\. Put the values .*infra\/stages\.ts, or deploy with --allow\.\n$/,
    )
  })

  it('warns that alarms send no mail, unless the stage has an address for it or is disposable', async () => {
    const warnings = [[], ['-c', 'alarmEmail=ada@example.com'], ['-c', 'disposable=true']].map(async words =>
      (await deploy(guarded, ...words)).stderr.match(/^.*alarmEmail.*$/gm),
    )
    const warning = 'Alarms of the stage live send no mail: add alarmEmail to it in infra/stages.ts.'
    expect(await Promise.all(warnings)).toEqual([[warning], null, null])
  })

  it('runs cdk with --allow, and for a stage that does not exist yet', async () => {
    const [allowed, first] = await Promise.all([deploy(guarded, '--allow'), deploy(undefined)])
    expect(allowed.stderr).toContain('It would drop the domain content.example')
    for (const { stderr } of [allowed, first]) {
      expect(stderr).not.toContain('Nothing was deployed')
      expect(stderr).toContain('Synthesis time')
    }
  })
})
