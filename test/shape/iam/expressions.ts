// Finds the attributes that a DynamoDB expression mentions: the value of `dynamodb:Attributes` in a policy.

const KEYWORDS = new Set(['SET', 'REMOVE', 'ADD', 'DELETE', 'AND', 'OR', 'NOT', 'BETWEEN', 'IN'])
/** A value (`:v`), or a path. A path before a parenthesis is the name of a function. */
const PART = /:\w+|([#\w]+)(?:\.[#\w]+|\[\d+\])*(\s*\()?/g

/** The code of a function has a few hundred expressions. More are forgotten together and read again. */
const MAX_REMEMBERED = 2_000
const remembered = new Map<string, string[]>()

/** Top-level attributes, with `#names` replaced by the real ones. */
export function attributesIn(expression: string, names: Record<string, unknown>): string[] {
  const name = `${expression}\n${JSON.stringify(names)}`
  const known = remembered.get(name)
  if (known) return known
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  const attributes = findAttributes(expression, names)
  remembered.set(name, attributes)
  return attributes
}

function findAttributes(expression: string, names: Record<string, unknown>): string[] {
  return [...expression.matchAll(PART)].flatMap(([, name, isFunction]) => {
    if (name === undefined || isFunction || KEYWORDS.has(name)) return []
    return [String(names[name] ?? name)]
  })
}
