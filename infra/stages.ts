// The stages of this service, with their values: infra/README.md explains them. `npm run deploy` names one.
import type { ParameterName } from '../shared/runtime/parameters.ts'
import type { Context } from './stage-settings.ts'

type ContextName = Exclude<keyof typeof Context.shape, 'stage'>

/** Context values, and the CloudFormation parameters to set: those that are missing keep their last value. */
export type Stage = { [name in ContextName]?: string | number | boolean } & {
  parameters?: { [name in ParameterName]?: string }
}

export const STAGES: Record<string, Stage> = {
  /** The first deployment asks for `alarmEmail`: an address, or 'none'. */
  live: {},
  /** `cdk destroy` removes it with its data. */
  dev: { disposable: true },
}
