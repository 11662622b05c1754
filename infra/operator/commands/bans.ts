// Shutting an account out and letting it in again, as admins do it by the API.
import { BanInput } from '../../../shared/accounts/admin-contract.ts'
import { banned, unbanned } from '../../../shared/accounts/ban.ts'
import { changeBan } from '../../../shared/accounts/commands/change-ban.ts'
import { isBanned } from '../../../shared/accounts/user.ts'
import { isoTime } from '../../../shared/http/time.ts'
import { EMAIL, userByEmail } from '../account.ts'
import { command, value } from '../command.ts'
import { workOf } from '../work.ts'

const { reason: Reason, until: Until } = BanInput.shape

const ban = command({
  name: 'user ban',
  summary: 'Shuts an account out from its next request on, and tells subscribers',
  args: { email: EMAIL },
  options: {
    reason: value('TEXT', 'why; only admins and subscribers see it', Reason),
    until: value('TIME', 'when it ends by itself, as 2026-05-26T15:00:00Z; without it: never', Until),
  },
  faultOf: ({ until }, nowSeconds) =>
    until !== null && until <= nowSeconds ? '--until: Must be in the future.' : undefined,
  run: async ({ email, reason, until }, context) => {
    const { id, email: address } = await userByEmail(context.target.table, email)
    await changeBan(workOf(context), id, user => banned(user, { reason, until }))
    const end = until === null ? null : isoTime(until)
    return {
      lines: [`${address} is banned${end ? ` until ${end}` : ''}.`],
      json: { id, email: address, is_banned: true, ban_reason: reason, banned_until: end },
    }
  },
})

const unban = command({
  name: 'user unban',
  summary: 'Lets a banned account in again',
  args: { email: EMAIL },
  run: async ({ email }, context) => {
    const user = await userByEmail(context.target.table, email)
    await changeBan(workOf(context), user.id, user => unbanned(user, context.nowMs))
    const was = isBanned(user, context.nowSeconds)
    return {
      lines: [was ? `${user.email} is not banned any more.` : `${user.email} was not banned.`],
      json: { id: user.id, email: user.email, is_banned: false },
    }
  },
})

export const BAN_COMMANDS = [ban, unban]
