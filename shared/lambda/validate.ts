// Validates query and body by the endpoint's schemas. All faults of form are reported in one answer.
import type * as z from 'zod/mini'
import { type Fields, invalid } from '../http/errors.ts'
import '../http/zod-messages.ts'
import type { Environment } from '../runtime/environment.ts'
import type { Step } from './chain.ts'
import { addFault } from './parse.ts'
import type {
  Faults,
  RequestContext,
  WithClaim,
  WithInput,
  WithParsedInput,
  WithRoute,
} from './request-context.ts'

/** A list with a million wrong members would make a response larger than Lambda allows. */
const MAX_FAULTS = 1_000

/** Faults of a body that depend on how this stage is configured. */
export type StageFaults = (body: object, environment: Environment) => Fields

type Needs = RequestContext & WithRoute & WithClaim & WithParsedInput

export function validate(stageFaults: StageFaults): Step<Needs, WithInput> {
  const validateBefore = ({ route, replay, parsed, runtime }: Needs): WithInput => {
    if (replay) return { input: undefined }
    const { faults } = parsed
    const { query: querySchema, body: bodySchema } = route.endpoint
    const query = parsedBy(querySchema, parsed.query, faults)
    const body = bodySchema && parsed.body ? parsedBy(bodySchema, parsed.body, faults) : undefined
    const ofStage = parsed.body ? stageFaults(parsed.body, runtime.environment) : {}
    for (const [field, [text = '']] of Object.entries(ofStage)) addFault(faults, field, text)
    if (faults.size > 0) throw invalid(Object.fromEntries(faults))
    return { input: { query, body } }
  }
  return { before: validateBefore }
}

function parsedBy(schema: z.ZodMiniType, value: unknown, faults: Faults): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const found = result.error.issues.slice(0, MAX_FAULTS).flatMap(faultsOf).slice(0, MAX_FAULTS)
  for (const [field, message] of found) addFault(faults, field, message)
  return undefined
}

/** A strict object reports its unknown members in one issue; each of them gets a fault of its own. */
function faultsOf(issue: z.core.$ZodIssue): [field: string, message: string][] {
  return issue.code === 'unrecognized_keys'
    ? issue.keys.map(key => [[...issue.path, key].join('.'), 'Is not known.'])
    : [[issue.path.join('.'), issue.message]]
}
