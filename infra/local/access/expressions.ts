// Finds the attributes that a DynamoDB expression mentions: the value of `dynamodb:Attributes` in a policy.

const KEYWORDS = new Set(['SET', 'REMOVE', 'ADD', 'DELETE', 'AND', 'OR', 'NOT', 'BETWEEN', 'IN'])
/** A value (`:v`), or a path. A path before a parenthesis is the name of a function. */
const PART = /:\w+|([#\w]+)(?:\.[#\w]+|\[\d+\])*(\s*\()?/g

/** Top-level attributes, with `#names` replaced by the real ones. */
export function attributesIn(expression: string, names: Record<string, unknown>): string[] {
  return [...expression.matchAll(PART)].flatMap(([, name, isFunction]) => {
    if (name === undefined || isFunction || KEYWORDS.has(name)) return []
    return [String(names[name] ?? name)]
  })
}
