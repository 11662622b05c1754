// Finds a resource by its name in the stack's code. The CDK appends a hash to it.

/** The id that is `name`, or `name` and a hash, or starts with `name`. Throws if there is not exactly one. */
export function findId(ids: Iterable<string>, name: string): string {
  const all = [...ids]
  const hashed = new RegExp(`^${name}[0-9A-F]{8}$`)
  const rules = [
    (id: string) => id === name,
    (id: string) => hashed.test(id),
    (id: string) => id.startsWith(name),
  ]
  const matches = rules.map(rule => all.filter(rule)).find(({ length }) => length > 0) ?? []
  const [id] = matches
  if (id !== undefined && matches.length === 1) return id
  throw new Error(
    `${matches.length === 0 ? 'No name matches' : 'More than one name matches'} ${name}. The names are: ${all.join(', ')}`,
  )
}

/** A logical id without the CDK's hash. */
export function nameOf(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '')
}
