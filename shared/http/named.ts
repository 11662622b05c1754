// Names a schema, as it is called among the components of the OpenAPI document.
import * as z from 'zod/mini'

/** The annotation lets a bundle drop a schema that it does not use. */
// @__NO_SIDE_EFFECTS__
export const named = <Schema extends z.ZodMiniType>(id: string, schema: Schema): Schema => {
  z.globalRegistry.add<z.ZodMiniType>(schema, { id })
  return schema
}
