// State in memory that belongs to a table: it lives as long as the runtime that opened the table.
import type { Table } from './client.ts'

/** Returns a function that gives the state of a table, created on first use. */
export function perTable<State extends object>(make: (table: Table) => State): (table: Table) => State {
  const states = new WeakMap<Table, State>()
  return table => {
    const own = table.origin ?? table
    const state = states.get(own) ?? make(own)
    states.set(own, state)
    return state
  }
}
