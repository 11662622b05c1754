// Which attributes an expression of DynamoDB names: what `dynamodb:Attributes` in a policy looks at.

const WORDS = new Set(['SET', 'REMOVE', 'ADD', 'DELETE', 'AND', 'OR', 'NOT', 'BETWEEN', 'IN'])
/** A value, or a path with what follows it: a parenthesis makes it the name of a function. */
const PART = /:\w+|([#\w]+)(?:\.[#\w]+|\[\d+\])*(\s*\()?/g

/** The attributes at the top level, by their own names. */
export function attributesIn(expression: string, names: Record<string, unknown>): string[] {
  return [...expression.matchAll(PART)].flatMap(([, name, isFunction]) => {
    if (name === undefined || isFunction || WORDS.has(name)) return []
    return [String(names[name] ?? name)]
  })
}
