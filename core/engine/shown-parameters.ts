import type { JsonObject, JsonValue, ParameterSchema, SnapshotEntity } from "../contract/index.ts";
import { collectSecrets, maskParameters } from "./mask.ts";
import { createSecretRedactor } from "./redact.ts";

/** Defaults that are secret, found once for each snapshot. */
const secretDefaults = new WeakMap<SnapshotEntity, readonly string[]>();

/**
 * Parameters of an execution as they are shown: secret ones masked, and the texts of secrets taken out of the others, into which
 * templates such as `curl -u {{ password }}` carry them. The same object when nothing is secret.
 */
export function toShownParameters(parameters: JsonObject, snapshot: SnapshotEntity): JsonObject {
	const schemas = [snapshot.action.parameters, snapshot.runner.runner_parameters] as const;
	const masked = maskParameters(parameters, ...schemas);
	const defaults = toSecretDefaults(snapshot, schemas);
	if (masked === parameters && defaults.length === 0) return parameters;
	const redact = createSecretRedactor([...defaults, ...collectSecrets(parameters, ...schemas)]);
	return redactValue(masked, redact) as JsonObject;
}

function toSecretDefaults(snapshot: SnapshotEntity, schemas: readonly ParameterSchema[]): readonly string[] {
	let found = secretDefaults.get(snapshot);
	if (found === undefined) {
		const values = schemas
			.toReversed()
			.flatMap((schema) => Object.entries(schema).map(([name, { default: value = null }]) => [name, value]));
		found = collectSecrets(Object.fromEntries(values) as JsonObject, ...schemas);
		secretDefaults.set(snapshot, found);
	}
	return found;
}

function redactValue(value: JsonValue, redact: (text: string) => string): JsonValue {
	if (typeof value === "string") return redact(value);
	if (Array.isArray(value)) return value.map((item: JsonValue) => redactValue(item, redact));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, redactValue(member as JsonValue, redact)]));
}
