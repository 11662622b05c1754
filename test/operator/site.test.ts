// The commands for the whole site: settings, and addresses that refuse mail.
import { describe, expect, it } from 'vitest'
import { addRefusal } from '../../shared/mail/refusals.ts'
import { site } from '../../shared/site/contract.ts'
import { useWorld } from '../support/world.ts'
import { operatorOn } from './operator-world.ts'

const world = useWorld()
const operator = operatorOn(world)

describe('settings set', () => {
  it('sets a setting by its type, and --unset resets it', async () => {
    const set = async (...words: string[]) => (await operator.run(['settings', 'set', ...words])).out
    expect(await set('general.site_name', 'true')).toBe('general.site_name\ttrue\n')
    expect(await operator.json(['settings', 'set', 'blog.posts_per_page', '20'])).toEqual([
      { key: 'blog.posts_per_page', value: 20, group: 'blog', is_public: true },
    ])
    await operator.json(['settings', 'set', 'comments.enabled', 'false'])
    const shown = (await world.call(site.getPublicSettings)).data
    expect(shown).toMatchObject({
      'general.site_name': 'true',
      'blog.posts_per_page': 20,
      'comments.enabled': false,
    })
    expect(await set('comments.enabled', '--unset')).toBe('comments.enabled\ttrue\n')
    expect(await set('general.locale', '--unset')).toBe('general.locale\t(unset)\n')
  })
})

describe('mail refused', () => {
  it('lists the addresses that get no mail, newest first, until --allow lifts it', async () => {
    const at = Date.parse('2026-11-01T12:00:00Z')
    const bounced = { email: 'away@example.com', reason: 'bounce', detail: 'General: 550\tunknown' } as const
    const complained = { email: 'annoyed@example.com', reason: 'complaint', detail: 'abuse' } as const
    await addRefusal(world.table, { ...bounced, refused_ms: at })
    await addRefusal(world.table, { ...complained, refused_ms: at + 1_000 })
    expect((await operator.run(['mail', 'refused'])).out).toBe(
      'annoyed@example.com\tcomplaint\t2026-11-01T12:00:01+00:00\tabuse\n' +
        'away@example.com\tbounce\t2026-11-01T12:00:00+00:00\tGeneral: 550\\u0009unknown\n',
    )
    const { out } = await operator.run(['mail', 'refused', '--allow', ' Away@Example.com'])
    expect(out).toBe('Away@Example.com gets mails again.\n')
    const again = await operator.json(['mail', 'refused', '--allow', 'away@example.com'])
    expect(again).toEqual({ email: 'away@example.com', was_refused: false })
    expect(await operator.json(['mail', 'refused'])).toEqual([
      { ...complained, refused_at: '2026-11-01T12:00:01+00:00', allowed_at: null },
    ])
    expect((await operator.run(['doctor'])).out).toContain('Nothing is wrong.')
  })
})
