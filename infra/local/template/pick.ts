// Picks the properties of a resource that the local run uses, so that only those are resolved.
export function pick(properties: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap(name => (name in properties ? [[name, properties[name]]] : [])))
}
