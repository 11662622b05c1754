// Evaluates policy statements as IAM does: at least one statement must allow a request, and none may deny it.

/** `context` holds the values of condition keys. */
export type AccessRequest = { action: string; resource: string; context: Record<string, string[]> }

export type Statement = {
  Effect: 'Allow' | 'Deny'
  Action: string[]
  Resource: string[]
  /** The required values, by operator and condition key. */
  Condition: Record<string, Record<string, string[]>>
}

type Context = AccessRequest['context']
/** Returns the patterns that matched; undefined if the condition does not hold. */
type Condition = (context: Context) => string[] | undefined

export type Rule = {
  effect: Statement['Effect']
  actions: string[]
  /** The names of its permissions: the patterns of partition keys, or else those of resources. */
  patterns: string[]
  /** The only attributes that it allows; empty: all attributes. */
  attributes: string[]
  /** Returns the patterns that match the request; undefined if the rule does not apply to it. */
  match: (request: AccessRequest) => string[] | undefined
}

type Grant = { rule: Rule; patterns: string[] }

/** Compiles a statement. Throws if it contains an unsupported condition. */
export function compileStatement({ Effect, Action, Resource, Condition }: Statement): Rule {
  const actions = Action.map(action => wildcard(action.toLowerCase()))
  const resources = patternsOf(Resource)
  const conditions = Object.entries(Condition).flatMap(([operator, byKey]) =>
    Object.entries(byKey).map(([key, values]) => conditionOf(operator, key, values)),
  )
  const kinds = Object.values(Condition['ForAllValues:StringLike'] ?? {}).flat()
  return {
    effect: Effect,
    actions: Action,
    patterns: kinds.length > 0 ? kinds : Resource,
    attributes: Object.values(Condition['ForAllValues:StringEquals'] ?? {}).flat(),
    match: ({ action, resource, context }) => {
      if (!actions.some(pattern => pattern.test(action.toLowerCase()))) return undefined
      const resourcePattern = resources(resource)
      const matched = conditions.map(condition => condition(context))
      if (resourcePattern === undefined || matched.includes(undefined)) return undefined
      return kinds.length > 0 ? matched.flatMap(patterns => patterns ?? []) : [resourcePattern]
    },
  }
}

/** Returns the rule that allows the request, with its matching patterns; undefined: denied. */
export function findGrant(rules: Rule[], request: AccessRequest): Grant | undefined {
  const matches = rules.flatMap(rule => {
    const patterns = rule.match(request)
    return patterns ? [{ rule, patterns }] : []
  })
  return matches.some(({ rule }) => rule.effect === 'Deny') ? undefined : matches[0]
}

function conditionOf(operator: string, key: string, expected: string[]): Condition {
  const patternFor = patternsOf(expected)
  const holding = (test: (values: string[]) => boolean): Condition => {
    return ({ [key]: values = [] }) => (test(values) ? [] : undefined)
  }
  switch (operator) {
    case 'ForAllValues:StringLike':
      return ({ [key]: values = [] }) => {
        const patterns = values.flatMap(value => patternFor(value) ?? [])
        return patterns.length === values.length ? patterns : undefined
      }
    case 'ForAllValues:StringEquals':
      return holding(values => values.every(value => expected.includes(value)))
    case 'StringLike':
      return holding(([value, ...rest]) => rest.length === 0 && patternFor(value ?? '') !== undefined)
    case 'StringEquals':
      return holding(([value, ...rest]) => rest.length === 0 && expected.includes(value ?? ''))
    case 'Null':
      return holding(values => (values.length === 0) === (expected[0] === 'true'))
    default:
      throw new Error(
        `The local run does not support the condition ${operator}. Add it to infra/local/access/policy.ts.`,
      )
  }
}

function patternsOf(patterns: string[]) {
  const compiled = patterns.map(pattern => ({ pattern, expression: wildcard(pattern) }))
  return (value: string) => compiled.find(({ expression }) => expression.test(value))?.pattern
}

/** `*` is any text, `?` any character. */
function wildcard(pattern: string): RegExp {
  const literal = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's')
}
