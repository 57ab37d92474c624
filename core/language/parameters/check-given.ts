import type { JsonObject, ParameterDefinition, ParameterSchema } from "../../contract/index.ts";
import { SvcError } from "../../contract/index.ts";

/**
 * Checks that need no rendering: unknown, immutable and missing parameters. They come first, because their messages say more
 * than the failure of a template that uses the missing one.
 */
export function checkGiven(schema: ParameterSchema, given: JsonObject): void {
	const declared = Object.keys(schema);
	const names = Object.keys(given);
	const unknown = declared.length === 0 ? [] : names.filter((name) => !Object.hasOwn(schema, name));
	if (unknown.length > 0) {
		throw new SvcError(
			"SVC_INVALID",
			`additional properties are not allowed: parameter ${list(unknown)} is unknown; allowed are ${list(declared)}`,
		);
	}
	const immutable = names.filter((name) => Object.hasOwn(schema, name) && schema[name]?.immutable === true);
	if (immutable.length > 0) throw new SvcError("SVC_INVALID", `immutable parameters cannot be given: ${list(immutable)}`);
	for (const name of declared) checkRequired(name, schema[name] as ParameterDefinition, given);
}

function checkRequired(name: string, definition: ParameterDefinition, given: JsonObject): void {
	if (definition.required !== true || definition.type === "null") return;
	const isGiven = Object.hasOwn(given, name);
	if (isGiven && given[name] === null) throw new SvcError("SVC_INVALID", `parameter "${name}" is required and must not be null`);
	if (!isGiven && (definition.default ?? null) === null) {
		throw new SvcError("SVC_INVALID", `parameter "${name}" is a required property and was not given`);
	}
}

function list(names: readonly string[]): string {
	const shown = names.slice(0, 20).map((name) => `"${name.slice(0, 100)}"`);
	return shown.join(", ") + (names.length > shown.length ? " and more" : "");
}
