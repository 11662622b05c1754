// Tables for spreadsheets: what an export writes, and subscribers that are imported.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { csvWriter } from '../../infra/operator/import-export/export/export.ts'
import { findByEmail } from '../../shared/newsletter/store.ts'
import { operatorOn } from '../operator/operator-world.ts'
import { useWorld } from '../support/world.ts'
import { folderOf, readContent } from './read.ts'

const world = useWorld()

describe('export --csv', () => {
  it('writes a table in UTF-8 with a byte order mark', async () => {
    const { email } = await world.create.user()
    const file = join(await folderOf({}), 'users.csv')
    await operatorOn(world).json(['export', '--csv', 'users', '--out', file])
    const [head = '', ...rows] = (await readFile(file, 'utf8')).split('\r\n')
    expect(head).toBe('\ufeffid,name,email,email_verified,avatar,bio,ban,created_at')
    expect(rows.filter(row => row.includes(`,${email},`))).toHaveLength(1)
    expect(rows.at(-1)).toBe('')
  })

  it('quotes cells, and makes formulas harmless', () => {
    const { lineOf } = csvWriter('contact')
    const common = { type: 'submission', id: 1, email: 'a@b.example', created_at: '2024-05-01' } as const
    const line = lineOf({ ...common, name: '=1+1', subject: '@x', message: '-1\nb' })
    const quoted = lineOf({ ...common, name: 'Ann, "the" Owner', subject: null, message: '' })
    expect(quoted).toBe('1,"Ann, ""the"" Owner",a@b.example,,,2024-05-01\r\n')
    expect(line).toBe(`1,'=1+1,a@b.example,'@x,"'-1\nb",2024-05-01\r\n`)
  })
})

describe('import --from csv', () => {
  it('reads addresses of any column and delimiter, and names rows that are wrong', async () => {
    const text =
      '\ufeffName;E-Mail;Status\r\nAnn;ann@example.com;subscribed\r\nBob;nothing;\r\nCy;cy@example.com;unsubscribed\r\n'
    const { entries, wrong } = await readContent('a.csv', text, { format: 'csv', confirmed: true })
    expect(entries.map(({ record }) => record)).toMatchObject([
      { email: 'ann@example.com', status: 'subscribed' },
      { email: 'cy@example.com', status: 'unsubscribed' },
    ])
    expect(wrong).toEqual([expect.stringMatching(/^row 2 \(nothing\): email: /)])
  })

  it('subscribes only addresses that are confirmed, and unsubscribed in no row', async () => {
    const rows = [
      'Email;Status;unsubscribed_at',
      'a@example.com;subscribed;',
      'A@Example.com;Unsubscribed;2021-01-01',
      'b@example.com;pending;',
      'c@example.com;Non-Subscribed;',
      'd@example.com;subscribed;2021-01-01T00:00:00Z',
      'e@example.com;who knows;',
      'f@example.com;Active;',
    ]
    const text = `sep=;\r\n${rows.join('\r\n')}`
    const { entries, wrong } = await readContent('a.csv', text, { format: 'csv', confirmed: true })
    expect(entries.map(({ record }) => record.type === 'subscriber' && record.status)).toEqual([
      ...['unsubscribed', 'unsubscribed', 'pending', 'unsubscribed', 'unsubscribed', 'subscribed'],
    ])
    expect(entries[4]?.record).toMatchObject({ unsubscribed_at: Date.parse('2021-01-01') / 1000 })
    expect(wrong).toEqual([expect.stringContaining('"who knows" is not known')])
  })

  it('subscribes those who have confirmed, and asks the others by mail', async () => {
    const operator = operatorOn(world)
    const folder = await folderOf({
      'a.csv': 'email\nfirst@example.com\n',
      'b.csv': 'email\nsecond@example.com\n',
    })
    await operator.json(['import', join(folder, 'a.csv'), '--from', 'csv', '--confirmed'])
    const asked = await operator.json(['import', join(folder, 'b.csv'), '--from', 'csv'])
    expect(asked.records).toMatchObject([
      { outcome: 'made', label: 'second@example.com', reason: 'Is asked by mail.' },
    ])
    const again = await operator.json(['import', join(folder, 'b.csv'), '--from', 'csv'])
    expect(again.records).toMatchObject([{ outcome: 'skipped', reason: 'This address has a subscription.' }])
    const emails = ['first@example.com', 'second@example.com']
    const found = await Promise.all(emails.map(email => findByEmail(world.table, email)))
    expect(found.map(subscriber => subscriber?.status)).toEqual(['subscribed', 'pending'])
  })
})
