// Commands that ban an account and lift a ban, by the same rules as the API.
import { BanInput } from '../../../shared/accounts/admin-contract.ts'
import { changeBan } from '../../../shared/accounts/commands/account.ts'
import { isBanned, withBan, withoutBan } from '../../../shared/accounts/user.ts'
import { isoTime } from '../../../shared/http/time.ts'
import { command, value } from '../command.ts'
import { EMAIL, userByEmail } from '../find-account.ts'
import { unitOfWorkOf } from '../unit-of-work.ts'

const { reason: Reason, until: Until } = BanInput.shape

const ban = command({
  name: 'user ban',
  summary: 'Ban an account from its next request on; fires user.banned',
  args: { email: EMAIL },
  options: {
    reason: value('TEXT', 'reason, which only admins and webhooks see', Reason),
    until: value('TIME', 'end of the ban, as 2026-05-26T15:00:00Z (default: never)', Until),
  },
  problemOf: ({ until }, nowSeconds) =>
    until !== null && until <= nowSeconds ? '--until: Must be in the future.' : undefined,
  run: async ({ email, reason, until }, context) => {
    const { id, email: address } = await userByEmail(context.target.table, email)
    await changeBan(unitOfWorkOf(context), id, user => withBan(user, { reason, until }))
    const end = until === null ? null : isoTime(until)
    return {
      lines: [`${address} is banned${end ? ` until ${end}` : ''}.`],
      json: { id, email: address, is_banned: true, ban_reason: reason, banned_until: end },
    }
  },
})

const unban = command({
  name: 'user unban',
  summary: 'Lift the ban of an account',
  args: { email: EMAIL },
  run: async ({ email }, context) => {
    const user = await userByEmail(context.target.table, email)
    await changeBan(unitOfWorkOf(context), user.id, user => withoutBan(user, context.nowMs))
    const wasBanned = isBanned(user, context.nowSeconds)
    return {
      lines: [wasBanned ? `${user.email} is not banned any more.` : `${user.email} was not banned.`],
      json: { id: user.id, email: user.email, is_banned: false },
    }
  },
})

export const BAN_COMMANDS = [ban, unban]
