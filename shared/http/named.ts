// The name of a schema among the components of the API's document.
import * as z from 'zod/mini'

/** Bundles drop it with the schema where nobody asks for either. */
// @__NO_SIDE_EFFECTS__
export const named = <Schema extends z.ZodMiniType>(id: string, schema: Schema): Schema => {
  z.globalRegistry.add<z.ZodMiniType>(schema, { id })
  return schema
}
