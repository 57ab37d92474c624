import type { JsonObject, ParameterSchema, SnapshotEntity } from "../contract/index.ts";
import { collectSecrets, holdsSecret, maskParameters } from "../language/parameters/schema-masking.ts";
import { Redactor } from "./redactor.ts";

/** Cache of secret defaults by snapshot. */
const secretDefaultsBySnapshot = new WeakMap<SnapshotEntity, readonly string[]>();
/**
 * Cache by snapshot: true if any parameter may contain a secret. Every state of every execution is shown, and most actions have no
 * secrets.
 */
const mayHoldSecretsBySnapshot = new WeakMap<SnapshotEntity, boolean>();

/**
 * Masks the parameters of an execution: secret parameters, and copies of secrets in other parameters.
 *
 * Templates such as `curl -u {{ password }}` copy secrets into other parameters. Returns the same object if nothing is secret.
 */
export function maskExecutionParameters(parameters: JsonObject, snapshot: SnapshotEntity): JsonObject {
	return maskParametersWith(parameters, snapshot, new Redactor(findParameterSecrets(parameters, snapshot)));
}

/** Masks the parameters of an execution by their schemas, and by the given secrets. */
export function maskParametersWith(parameters: JsonObject, snapshot: SnapshotEntity, secrets: Redactor): JsonObject {
	const { action, runner } = snapshot;
	return secrets.redactJson(
		hasSecretParameters(snapshot) ? maskParameters(parameters, action.parameters, runner.runner_parameters) : parameters,
	);
}

/** Returns true if a parameter of the action or its runner is secret, or may contain a secret. */
export function hasSecretParameters(snapshot: SnapshotEntity): boolean {
	let found = mayHoldSecretsBySnapshot.get(snapshot);
	if (found === undefined) {
		const { action, runner } = snapshot;
		found = [action.parameters, runner.runner_parameters].some((schema) => Object.values(schema).some(holdsSecret));
		mayHoldSecretsBySnapshot.set(snapshot, found);
	}
	return found;
}

/** Returns the secret strings of parameters according to the schemas. Includes secret defaults, which a run without values uses. */
export function findParameterSecrets(parameters: JsonObject | undefined, snapshot: SnapshotEntity): readonly string[] {
	const schemas = [snapshot.action.parameters, snapshot.runner.runner_parameters] as const;
	const defaults = findSecretDefaults(snapshot, schemas);
	if (!hasSecretParameters(snapshot)) return defaults;
	if (parameters === undefined || maskParameters(parameters, ...schemas) === parameters) return defaults;
	return [...defaults, ...collectSecrets(parameters, ...schemas)];
}

function findSecretDefaults(snapshot: SnapshotEntity, schemas: readonly ParameterSchema[]): readonly string[] {
	let found = secretDefaultsBySnapshot.get(snapshot);
	if (found === undefined) {
		const values = schemas
			.toReversed()
			.flatMap((schema) => Object.entries(schema).map(([name, { default: value = null }]) => [name, value]));
		found = collectSecrets(Object.fromEntries(values) as JsonObject, ...schemas);
		secretDefaultsBySnapshot.set(snapshot, found);
	}
	return found;
}
