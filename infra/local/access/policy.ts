// Whether statements of policies let a call through, as IAM judges it: somebody must allow it, and nobody deny it.

/** `context` holds what conditions look at, by its key. */
export type AccessRequest = { action: string; resource: string; context: Record<string, string[]> }

export type Statement = {
  Effect: 'Allow' | 'Deny'
  Action: string[]
  Resource: string[]
  /** What a key must be, by operator and key. */
  Condition: Record<string, Record<string, string[]>>
}

type Context = AccessRequest['context']
/** The wanted patterns by which it holds; undefined: it does not. */
type Condition = (context: Context) => string[] | undefined

export type Rule = {
  effect: Statement['Effect']
  actions: string[]
  /** What its permissions are called by: the patterns that tell kinds of records, else those of resources. */
  patterns: string[]
  /** The only attributes that it is about; none: all of them. */
  attributes: string[]
  /** Those of them by which it is about the request; undefined: it is not. */
  match: (request: AccessRequest) => string[] | undefined
}

/** A statement, ready to be asked. Throws at a condition that is not known here. */
export function compileStatement({ Effect, Action, Resource, Condition }: Statement): Rule {
  const actions = Action.map(action => wildcard(action.toLowerCase()))
  const resources = patternsOf(Resource)
  const conditions = Object.entries(Condition).flatMap(([operator, byKey]) =>
    Object.entries(byKey).map(([key, wanted]) => conditionOf(operator, key, wanted)),
  )
  const kinds = Object.values(Condition['ForAllValues:StringLike'] ?? {}).flat()
  return {
    effect: Effect,
    actions: Action,
    patterns: kinds.length > 0 ? kinds : Resource,
    attributes: Object.values(Condition['ForAllValues:StringEquals'] ?? {}).flat(),
    match: ({ action, resource, context }) => {
      if (!actions.some(is => is.test(action.toLowerCase()))) return undefined
      const named = resources(resource)
      const held = conditions.map(holds => holds(context))
      if (named === undefined || held.includes(undefined)) return undefined
      return kinds.length > 0 ? held.flatMap(patterns => patterns ?? []) : [named]
    },
  }
}

/** The rule that lets it through and the patterns by which it does; undefined where it is denied. */
export function findGrant(rules: Rule[], request: AccessRequest): { rule: Rule; by: string[] } | undefined {
  const matches = rules.flatMap(rule => {
    const by = rule.match(request)
    return by ? [{ rule, by }] : []
  })
  return matches.some(({ rule }) => rule.effect === 'Deny') ? undefined : matches[0]
}

function conditionOf(operator: string, key: string, wanted: string[]): Condition {
  const patternFor = patternsOf(wanted)
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
      return holding(values => values.every(value => wanted.includes(value)))
    case 'StringLike':
      return holding(([value, ...more]) => more.length === 0 && patternFor(value ?? '') !== undefined)
    case 'StringEquals':
      return holding(([value, ...more]) => more.length === 0 && wanted.includes(value ?? ''))
    case 'Null':
      return holding(values => (values.length === 0) === (wanted[0] === 'true'))
    default:
      throw new Error(
        `The local run does not know the condition ${operator}: teach it to infra/local/access/policy.ts.`,
      )
  }
}

function patternsOf(patterns: string[]) {
  const known = patterns.map(pattern => ({ pattern, is: wildcard(pattern) }))
  return (value: string) => known.find(({ is }) => is.test(value))?.pattern
}

/** `*` is any text, `?` any character. */
function wildcard(pattern: string): RegExp {
  const literal = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's')
}
