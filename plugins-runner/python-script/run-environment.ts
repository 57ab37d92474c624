import { type JsonObject, SvcError } from "../../core/contract/index.ts";
import { assertNoNul, toPythonText } from "../_process/index.ts";

/** Aliases of the service's variables that client libraries read. */
const secondNames: Readonly<Record<string, readonly string[]>> = {
	SVC_ACTION_API_URL: ["SVC_API_URL"],
	SVC_ACTION_AUTH_TOKEN: ["SVC_AUTH_TOKEN"],
};

/**
 * Returns the variables of the parameter `env`, overridden by those of the service. Omits `PYTHONPATH`, because the runner sets the module
 * path.
 */
export function createRunEnvironment(
	given: JsonObject | null | undefined,
	service: Readonly<Record<string, string>>,
): Record<string, string> {
	const environment: Record<string, string> = {};
	for (const [name, value] of Object.entries(given ?? {})) {
		if (name === "" || name.includes("=")) throw new SvcError("SVC_INVALID", `parameter "env": "${name}" is not a valid variable name`);
		if (name.toUpperCase() === "PYTHONPATH") continue;
		environment[name] = toPythonText(value);
		assertNoNul("env", name + environment[name]);
	}
	for (const [name, value] of Object.entries(service)) for (const known of [name, ...(secondNames[name] ?? [])]) environment[known] = value;
	return environment;
}
