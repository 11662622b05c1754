// Takes from a resource the properties that mean something here, so that only those are resolved.
export function pick(properties: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap(name => (name in properties ? [[name, properties[name]]] : [])))
}
