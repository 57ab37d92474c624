import { type JsonObject, SvcError } from "../../core/contract/index.ts";
import { assertNoNul } from "./no-nul.ts";
import { toPythonText } from "./python-text.ts";

/** Returns the parameter `env` as environment variables. Throws `SVC_INVALID` for an invalid name or a NUL. */
export function toEnvironment(env: JsonObject | null | undefined): Record<string, string> {
	const environment: Record<string, string> = {};
	for (const [name, value] of Object.entries(env ?? {})) {
		if (name === "" || name.includes("=")) throw new SvcError("SVC_INVALID", `parameter "env": "${name}" is not a valid variable name`);
		environment[name] = toPythonText(value);
		assertNoNul("env", name + environment[name]);
	}
	return environment;
}
