// The content of mails, without anything injected by strangers, and the mail folder of a local run.
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { verifyClaim } from '../../shared/accounts/mails.ts'
import { isGenuine, parseLinkToken } from '../../shared/mail/link-token.ts'
import { saveSettings } from '../../shared/site/commands.ts'
import { newFolder } from '../support/folder.ts'
import { use } from '../support/use.ts'
import { type MailWorld, openMailWorld, PRIVATE_KEY } from './mail-world.ts'

const world = use(openMailWorld)

function nowSeconds() {
  return Math.floor(world.clock.nowMs / 1000)
}

async function verifyMail(name?: string) {
  const user = await world.user(name)
  await world.receive(world.order({ kind: 'verify-email', user_id: user.id }))
  return { user, mail: await world.mailTo(user.email) }
}

describe('the mail that confirms an address', () => {
  it('links to the site of the settings, and confirms no other address', async () => {
    await saveSettings(world.table, { 'site.url': 'https://site.example/base/', 'general.site_name': null })
    const { user, mail } = await verifyMail()
    expect(mail.links.map(({ url }) => url)).toEqual([
      `https://site.example/base/verify-email?token=${mail.token}`,
    ])
    expect(mail.subject).toBe('Confirm your address for site.example')
    const token = parseLinkToken(mail.token)
    const ofOther = { ...user, email: 'other@example.com' }
    expect(token && isGenuine(PRIVATE_KEY, token, verifyClaim(user), nowSeconds())).toBe(true)
    expect(token && isGenuine(PRIVATE_KEY, token, verifyClaim(ofOther), nowSeconds())).toBe(false)
  })

  it('is not sent when the address is confirmed or the account does not exist', async () => {
    const { id, email } = await world.user()
    await changeUser(world.table, id, user => ({ ...user, email_verified: true }))
    for (const user_id of [id, 4711]) {
      expect(await world.receive(world.order({ kind: 'verify-email', user_id }))).toBe(true)
    }
    expect(world.mailsTo(email)).toEqual([])
  })
})

describe('names in a mail', () => {
  it('are left out when a stranger may have chosen them', async () => {
    const { mail } = await verifyMail('Win a car at https://evil.example')
    expect(JSON.stringify(mail)).not.toContain('evil.example')
  })

  it('start neither a header nor a tag', async () => {
    const site_name = 'Tom & "Jerry"\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>\u2028'
    await saveSettings(world.table, { 'general.site_name': site_name })
    const { mail } = await verifyMail()
    const oneLine = 'Tom & "Jerry" Bcc: eve@example.com <script>alert(1)</script>'
    expect(mail.subject).toBe(`Confirm your address for ${oneLine}`)
    expect(mail.text).toContain(`an account at ${oneLine}. If`)
    expect(mail.html).toContain(
      'an account at Tom &amp; &quot;Jerry&quot; Bcc: eve@example.com &lt;script&gt;alert(1)&lt;/script&gt;. If',
    )
    expect(mail.html).not.toContain('<script')
  })
})

describe('a local run', () => {
  let folder = ''
  let local: MailWorld
  beforeEach(async () => {
    folder = join(await newFolder(), 'mail')
    local = await openMailWorld({ folder })
    return () => local.stop()
  })

  const send = async () => {
    const { id, email } = await local.user()
    await local.receive(local.order({ kind: 'verify-email', user_id: id }))
    return email
  }
  const files = async () => (await readdir(folder)).sort()

  it('stores each mail as a private file with both parts, and logs its link', async () => {
    await saveSettings(local.table, { 'general.site_name': 'Sitio de Zoë' })
    const email = await send()
    const [sesLog = ''] = local.sesLog
    const link = sesLog.split(' ').at(-1) ?? ''
    expect(sesLog).toBe(`mail to ${email} "Confirm your address for Sitio de Zoë": ${link}`)
    expect(link).toMatch(/^https:\/\/service\.example\/verify-email\?token=\d+\.\d+\.[\w-]{43}$/)

    const [file = '', ...others] = await files()
    expect(others).toEqual([])
    expect(file).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[0-9a-f]{8}\.eml$/)
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600)
    const content = unquoted(await readFile(join(folder, file), 'utf8'))
    expect(content).toMatch(/^From: content@site\.example$/m)
    expect(content).toMatch(new RegExp(`^To: ${email}$`, 'm'))
    expect(content).toMatch(/^Subject: =\?UTF-8\?/m)
    expect(content).toMatch(/^Content-Type: multipart\/alternative/m)
    expect(content).toMatch(/^Content-Type: text\/plain; charset=utf-8$/m)
    expect(content).toMatch(/^Content-Type: text\/html; charset=utf-8$/m)
    expect(content.split(link)).toHaveLength(3)
  })

  it('continues when the folder is removed', async () => {
    await send()
    await rm(folder, { recursive: true })
    await send()
    expect(await files()).toHaveLength(1)
  })

  it('does not write links into the log of a function', async () => {
    const email = await send()
    expect(local.logged).toHaveLength(1)
    expect(local.logged.join()).not.toMatch(/token|@/)
    expect(local.logged.join()).not.toContain(email)
  })
})

/** Decodes quoted-printable, as far as these mails use it. */
function unquoted(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('=\n', '').replaceAll('=3D', '=')
}
