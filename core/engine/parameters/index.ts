export { checkParameterDefinitions } from "./check-definitions.ts";
export { mergeSchemas } from "./merge-schemas.ts";
export { isTemplateProblem } from "./problems.ts";
export { renderFinal, renderLive } from "./render.ts";
export type { FinalInput, FinalParameters, LiveInput, RenderContext } from "./render.ts";
