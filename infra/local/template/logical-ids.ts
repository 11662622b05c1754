// Finds a resource by the name that the stack's code gave it: the CDK puts a hash behind it.

/** The only id that is `name`, or `name` and the CDK's hash, or begins with `name`; throws when none or several are. */
export function findId(ids: Iterable<string>, name: string): string {
  const all = [...ids]
  const hashed = new RegExp(`^${name}[0-9A-F]{8}$`)
  const rules = [
    (id: string) => id === name,
    (id: string) => hashed.test(id),
    (id: string) => id.startsWith(name),
  ]
  const found = rules.map(rule => all.filter(rule)).find(({ length }) => length > 0) ?? []
  const [id] = found
  if (id !== undefined && found.length === 1) return id
  throw new Error(
    `${found.length === 0 ? 'Nothing' : 'More than one thing'} is called ${name} among: ${all.join(', ')}`,
  )
}

/** The name in a logical id, for people. */
export function nameOf(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '')
}
