// How the command line is used: its help, its mistakes, and its table in infra/operator/README.md.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { placeholderOf } from '../../infra/operator/command.ts'
import { COMMANDS } from '../../infra/operator/commands.ts'
import { helpTable } from '../../infra/operator/help.ts'
import { openProgress } from '../../infra/operator/progress.ts'
import { operatorOn } from './operator-world.ts'

const { said } = operatorOn(undefined)

describe('npm run operator -- --help', () => {
  it('names every command with what it does, and what all of them take', async () => {
    const { code, out, err } = await said(['--help'])
    expect([code, err]).toEqual([0, ''])
    for (const { name, summary } of COMMANDS) {
      expect(out).toContain(name)
      expect(out).toContain(summary)
    }
    expect(out).toContain('--state DIR')
    expect(out).toContain('--stage NAME')
  })

  it('names those of a group', async () => {
    const { out } = await said(['token', '--help'])
    expect(out).toContain('token revoke EMAIL [ID] [--all]')
    expect(out).not.toContain('user create')
  })

  it.each(COMMANDS.map(({ name }) => name))('tells what `%s` takes', async name => {
    const { code, out } = await said([...name.split(' '), '--help'])
    const command = COMMANDS.find(each => each.name === name)
    expect(code).toBe(0)
    expect(out).toContain(`npm run operator -- ${name}`)
    for (const option of Object.keys(command?.options ?? {})) expect(out).toContain(`--${option}`)
  })

  it('is the table in infra/operator/README.md', () => {
    const readme = readFileSync(new URL('../../infra/operator/README.md', import.meta.url), 'utf8')
    const table = helpTable(COMMANDS)
    expect(readme.includes(table), `Put this into infra/operator/README.md:\n${table}`).toBe(true)
  })

  it('gives an option of one name the same form in every command', () => {
    const forms = new Map<string, Set<string | undefined>>()
    for (const { options } of COMMANDS) {
      for (const [name, schema] of Object.entries(options)) {
        forms.set(name, (forms.get(name) ?? new Set()).add(placeholderOf(schema)))
      }
    }
    expect([...forms].filter(([, placeholders]) => placeholders.size > 1)).toEqual([])
  })
})

describe('a wrong call', () => {
  it.each([
    { argv: [], says: 'Name a command' },
    { argv: ['users'], says: 'There is no command "users". Near it: user' },
    { argv: ['user', 'crate'], says: 'Near it: user create, user list' },
    { argv: ['token', 'lst'], says: 'token list' },
    { argv: ['xyzzy'], says: 'webhooks list' },
    { argv: ['user', 'list', 'extra'], says: 'user list does not take "extra".' },
    { argv: ['user', 'list', '--email', 'a@example.com'], says: 'user list does not take --email.' },
    { argv: ['user', 'list', '--emial', 'a@example.com'], says: "Unknown option '--emial'" },
    { argv: ['user', 'create', '--email'], says: "Option '--email <value>' argument missing" },
    {
      argv: ['user', 'create', '--email', 'a', '--name', 'A'],
      says: '--email: Must be a valid e-mail address',
    },
    { argv: ['user', 'create', '--email', 'a@example.com'], says: '--name: Is required.' },
    { argv: ['user', 'verify'], says: 'EMAIL: Is required.' },
    { argv: ['token', 'revoke', 'a@example.com', 'x'], says: 'ID: Must be the number of a token' },
    {
      argv: ['token', 'create', '--email', 'a@example.com', '--name', 'A', '--abilities', 'user,root'],
      says: '--abilities: Takes some of user,',
    },
    { argv: ['settings', 'set', 'maintenance.enable', 'true'], says: 'Near it: maintenance.enabled' },
    {
      argv: ['user', 'ban', 'a@example.com', '--until', '2001-01-01'],
      says: '--until: Must be in the future.',
    },
    { argv: ['token', 'revoke', 'a@example.com'], says: 'Name one token by its ID, or --all.' },
    { argv: ['token', 'revoke', 'a@example.com', '7', '--all'], says: 'Name one token by its ID, or --all.' },
    {
      argv: ['settings', 'set', 'comments.enabled', 'yes'],
      says: 'comments.enabled: Must be true or false.',
    },
    {
      argv: ['settings', 'set', 'blog.posts_per_page', 'many'],
      says: 'blog.posts_per_page: Must be a whole number.',
    },
    {
      argv: ['settings', 'set', 'blog.posts_per_page', '0'],
      says: 'blog.posts_per_page: Must be at least 1.',
    },
    {
      argv: ['settings', 'set', 'site.url', 'here'],
      says: 'site.url: Must be an absolute http or https URL',
    },
    { argv: ['redrive', 'letters'], says: 'QUEUE: Must be one of events, deliveries, tidy, mail, index.' },
    { argv: ['webhooks', 'pause', '0'], says: 'ID: Must be the number of a subscription' },
  ])('of "$argv" says what is wrong, opens nothing and ends with 2', async ({ argv, says }) => {
    const { code, out, err } = await said(argv)
    expect(err).toContain(says)
    expect(err).not.toContain('    at ')
    expect([code, out]).toEqual([2, ''])
  })
})

describe('progress', () => {
  const shown = (isTTY: boolean, stepMs: number) => {
    let nowMs = 0
    let text = ''
    const write = (more: string) => {
      text += more
    }
    const progress = openProgress({ isTTY, write }, () => nowMs)
    for (let n = 1; n <= 10; n++) {
      nowMs = n * stepMs
      progress.say(`${n} of 10`)
    }
    progress.clear()
    return text
  }

  it('is a line every five seconds where lines stay', () => {
    expect(shown(false, 1_000)).toBe('5 of 10\n10 of 10\n')
  })

  it('is one line that changes on a terminal, and leaves nothing behind', () => {
    expect(shown(true, 50)).toBe(`${[2, 4, 6, 8, 10].map(n => `\r\u001b[2K${n} of 10`).join('')}\r\u001b[2K`)
  })

  it('is nothing at all when all is done at once', () => {
    expect(shown(false, 1)).toBe('')
    expect(shown(true, 1)).toBe('')
  })
})
