// A client that checks each call before it is sent.
import type { Call, Client, Operations } from '../../shared/aws/client.ts'
import type { CheckCall } from './access.ts'

/** Rejects a call that `check` does not let through. */
export function guarded<O extends Operations>({ call, destroy }: Client<O>, check: CheckCall): Client<O> {
  const checked: Call<O> = async (operation, input, options) => {
    check(operation, input)
    return await call(operation, input, options)
  }
  return { call: checked, destroy }
}
