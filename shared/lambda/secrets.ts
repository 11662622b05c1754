// Reads the secrets of the function, if its start has not, or if they may have been rotated since.
import { refreshSecrets } from '../runtime/secrets.ts'
import type { Step } from './chain.ts'
import type { RequestContext } from './request-context.ts'

export function secrets(): Step<RequestContext, object> {
  const secretsBefore = async ({ runtime }: RequestContext): Promise<object> => {
    await refreshSecrets(runtime)
    return {}
  }
  return { before: secretsBefore }
}
