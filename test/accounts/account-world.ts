// The request chain with what tests of accounts need besides: passwords, and the links of mails.
import { newResetToken } from '../../shared/accounts/mails.ts'
import { hashPassword } from '../../shared/accounts/password.ts'
import { getUser } from '../../shared/accounts/store/users.ts'
import { openChain } from '../support/chain.ts'
import { createUserWith } from '../support/create.ts'

export async function openAccounts() {
  const chain = await openChain()
  const privateKey = chain.runtime.environment.PRIVATE_KEY ?? ''
  const nowSeconds = () => Math.floor(chain.clock.nowMs / 1000)
  return {
    ...chain,
    privateKey,
    nowSeconds,
    /** A user with a token, who has no password if it is null. */
    account: async (password: string | null) => {
      const password_hash = password === null ? null : await hashPassword(password)
      return createUserWith(chain.table, ['user'], { password_hash, atSeconds: nowSeconds() })
    },
    /** What the link of a mail contains, by which the user sets a password. */
    resetToken: async (id: number) => newResetToken(privateKey, await getUser(chain.table, id), nowSeconds()),
  }
}
