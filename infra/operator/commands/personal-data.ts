// Commands for the rights of a person: to get all that is kept of them, and to be erased.
import { EMAIL } from '../accounts.ts'
import { command, flag } from '../command.ts'
import { findPerson } from '../personal-data/collect.ts'
import { erasePerson } from '../personal-data/erase.ts'
import { exportPerson } from '../personal-data/export.ts'

const exportCommand = command({
  name: 'user export',
  summary: 'Print all that is kept of a person as JSON: account, content, subscriptions, messages',
  details: `  It reads the whole table, so on a deployed stage its cost grows with the table. Secrets are left out, and so are the
  bodies of posts.`,
  args: { email: EMAIL },
  run: async ({ email }, context) => {
    const json = await exportPerson(context, await findPerson(context, email))
    return { lines: JSON.stringify(json, null, 2).split('\n'), json }
  },
})

const erase = command({
  name: 'user erase',
  summary: 'Erase a person: account, tokens, addresses, messages; content stays under "Deleted user"',
  details: `  It revokes the tokens first and removes the account last. If it is interrupted, run it again: it goes on. It fires no
  event, as when an admin deletes such records. Posts, comments and tickets stay under "Deleted user". It reads the
  whole table, so on a deployed stage its cost grows with the table. What it does with each kind of item, and what
  expires later, is in infra/operator/personal-data/README.md. Backups are not changed.`,
  args: { email: EMAIL },
  options: {
    'dry-run': flag('show what would be erased, and change nothing'),
    yes: flag('erase it; nothing brings it back'),
    'delete-content': flag('delete comments and tickets as well, with the replies of others to them'),
  },
  problemOf: ({ yes, 'dry-run': isDryRun }) =>
    yes === isDryRun ? 'Pass --dry-run to see what would be erased, or --yes to erase it.' : undefined,
  run: async ({ email, 'delete-content': content, 'dry-run': isDryRun }, context) => {
    const person = await findPerson(context, email)
    const steps = await erasePerson(context, person, { content, isDryRun })
    const { userId } = person
    const who = `${person.email}, ${userId === undefined ? 'who has no account' : `user ${userId}`}`
    const title = isDryRun ? `Would erase ${who}:` : `Erased ${who}:`
    return {
      lines: [
        steps.length > 0 ? title : `Nothing is kept of ${person.email}.`,
        ...steps.map(({ what, count, outcome }) => [what, count, outcome]),
      ],
      json: { email: person.email, user_id: userId ?? null, dry_run: isDryRun, steps },
    }
  },
})

export const PERSON_COMMANDS = [exportCommand, erase]
