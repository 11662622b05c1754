// Commands for the rights of a person: to get all that is kept of them, and to be erased.
import * as z from 'zod/mini'
import { userByEmail } from '../accounts.ts'
import { type Context, command, flag, OperatorError, optionalText, type Result, value } from '../command.ts'
import { findPerson, type Person } from '../personal-data/collect.ts'
import { type Erasure, erasePerson } from '../personal-data/erase.ts'
import { exportPerson } from '../personal-data/export.ts'

const EMAIL = value('EMAIL', 'address of the person, with or without an account', z.string('Is required.'))

const exportCommand = command({
  name: 'user export',
  summary: 'Print all that is kept of a person as JSON: account, content, subscriptions, messages',
  details: `  It reads the whole table, so on a deployed stage its cost grows with the table. Secrets are left out, and so are the
  bodies of posts. mentioned_in names other records that contain the address, for example in a message.`,
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
    'posts-to': optionalText(
      'EMAIL',
      'address of the account that becomes the author of the posts (fires post.updated)',
    ),
  },
  problemOf: ({ yes, 'dry-run': isDryRun }) =>
    yes === isDryRun ? 'Pass --dry-run to see what would be erased, or --yes to erase it.' : undefined,
  run: async ({ email, 'delete-content': content, 'posts-to': postsTo, 'dry-run': isDryRun }, context) => {
    const person = await findPerson(context, email)
    const options = { content, postsTo: await newAuthor(context, person, postsTo), isDryRun }
    return resultOf(person, await erasePerson(context, person, options), isDryRun)
  },
})

async function newAuthor(
  { target: { table } }: Context,
  { userId }: Person,
  email: string | undefined,
): Promise<number | undefined> {
  if (email === undefined) return undefined
  const { id } = await userByEmail(table, email)
  if (id !== userId) return id
  throw new OperatorError('--posts-to names the account that is to be erased. Name another one.')
}

function resultOf({ email, userId }: Person, { steps, mentioned }: Erasure, isDryRun: boolean): Result {
  const who = userId === undefined ? `${email}, who has no account` : `${email}, user ${userId}`
  const title = isDryRun ? `Would erase ${who}:` : `Erased ${who}:`
  return {
    lines: [
      ...(steps.length > 0 ? [title] : [`Nothing is kept of ${email}.`]),
      ...steps.map(({ what, count, outcome }) => [what, count, outcome]),
      ...mentioned.map(label => [label, 'contains the address and stays']),
    ],
    json: { email, user_id: userId ?? null, dry_run: isDryRun, steps, mentioned_in: mentioned },
  }
}

export const PERSON_COMMANDS = [exportCommand, erase]
