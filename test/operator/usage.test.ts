// Help, wrong calls and progress of the command line, and the table of commands in its README.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { placeholderOf } from '../../infra/operator/command.ts'
import { COMMANDS } from '../../infra/operator/command-line.ts'
import { openEstimate, openProgress, printable } from '../../infra/operator/terminal.ts'
import { operatorOn } from './operator-world.ts'

const { run } = operatorOn(undefined)

describe('npm run operator -- --help', () => {
  it('lists every command with its summary, and the options of every command', async () => {
    const { code, out, err } = await run(['--help'])
    expect([code, err]).toEqual([0, ''])
    for (const { name, summary } of COMMANDS) {
      expect(out).toContain(name)
      expect(out).toContain(summary)
    }
    expect(out).toContain('--state DIR')
    expect(out).toContain('--stage NAME')
  })

  it('lists the commands of a group', async () => {
    const { out } = await run(['token', '--help'])
    expect(out).toContain('token revoke EMAIL [ID] [--all]')
    expect(out).not.toContain('user create')
  })

  it('shows the options of each command', async () => {
    for (const { name, options } of COMMANDS) {
      const { code, out } = await run([...name.split(' '), '--help'])
      expect([code, out]).toEqual([0, expect.stringContaining(`npm run operator -- ${name}`)])
      for (const option of Object.keys(options)) expect(out).toContain(`--${option}`)
    }
  })

  it('lists the same commands as the table of infra/operator/README.md', () => {
    const readme = readFileSync(new URL('../../infra/operator/README.md', import.meta.url), 'utf8')
    const rows = [...readme.matchAll(/^\| `([a-z -]+?)(?: \[?[A-Z.\]]+)*` \| (.*) \|$/gm)]
    expect(rows.map(([, name, summary]) => ({ name, summary }))).toEqual(
      COMMANDS.map(({ name, summary }) => ({ name, summary })),
    )
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

describe('npm run operator', () => {
  it.each([
    ['', 'Name a command'],
    ['users', 'There is no command "users". Choose from: user create, '],
    ['user crate', 'Choose from: user create, user reset-password'],
    ['webhooks list extra', 'webhooks list does not take "extra".'],
    ['webhooks list --email a@example.com', "Unknown option '--email'"],
    ['webhooks list --table Restored', '--table: Name the stage as well'],
    ['user erase a@example.com', 'Pass --dry-run to see what would be erased'],
    ['user create --email', "Option '--email <value>' argument missing"],
    ['user create --email a --name A', '--email: Must be a valid e-mail address'],
    ['user verify', 'EMAIL: Is required.'],
    ['token revoke a@example.com x', 'ID: Must be the number of a token'],
    [
      'token create --email a@example.com --name A --abilities user,root',
      '--abilities: Must be some of user,',
    ],
    ['settings set maintenance.enable true', 'There is no setting "maintenance.enable". There are: '],
    ['settings set maintenance.enabled', 'Name either a VALUE, or pass --unset.'],
    ['token revoke a@example.com 7 --all', 'Name one token by its ID, or pass --all.'],
    ['settings set comments.enabled yes', 'comments.enabled: Must be true or false.'],
    ['redrive letters', 'QUEUE: Must be one of events, deliveries, index, jobs.'],
    [
      'webhooks deliveries 7 --failed --redeliver evt_1-7.1',
      'Pass one of --failed, --redeliver and --redeliver-since.',
    ],
    ['webhooks pause 0', 'ID: Must be the number of a subscription'],
  ])('prints what is wrong with the call %j, opens nothing and exits with 2', async (call, message) => {
    const { code, out, err } = await run(call === '' ? [] : call.split(' '))
    expect(err).toContain(message)
    expect(err).not.toContain('    at ')
    expect([code, out]).toEqual([2, ''])
  })
})

describe('a printed row', () => {
  it('has no control characters of a stored text', () => {
    expect(printable([7, 'Eve\u001b[2J\n7\troot\u202e'])).toBe('7\tEve\\u001b[2J\\u000a7\\u0009root\\u202e')
  })
})

describe('the progress of a command', () => {
  const shown = (isTTY: boolean, stepMs: number) => {
    let nowMs = 0
    let text = ''
    const write = (chunk: string) => {
      text += chunk
    }
    const progress = openProgress({ isTTY, write }, () => nowMs)
    for (let n = 1; n <= 10; n++) {
      nowMs = n * stepMs
      progress.show(`${n} of 10`)
    }
    progress.clear()
    return text
  }

  it('is a line every five seconds in a log', () => {
    expect(shown(false, 1_000)).toBe('5 of 10\n10 of 10\n')
  })

  it('is one changing line on a terminal, which is erased at the end', () => {
    expect(shown(true, 50)).toBe(`${[2, 4, 6, 8, 10].map(n => `\r\u001b[2K${n} of 10`).join('')}\r\u001b[2K`)
  })

  it('is not shown for a fast command', () => {
    expect(shown(false, 1)).toBe('')
    expect(shown(true, 1)).toBe('')
  })

  it('estimates the time that is left from the time so far', () => {
    let nowMs = 0
    const left = openEstimate(() => nowMs)
    expect(left(0, 100)).toBe('')
    nowMs = 10_000
    expect(left(25, 100)).toBe(', about 30 s left')
    expect(left(1, 100)).toBe(', about 17 min left')
    expect(left(100, 100)).toBe('')
  })
})
