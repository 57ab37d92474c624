import type { ActionSnapshotEntity, JsonObject } from "../contract/index.ts";
import { collectSecrets, hasSecretMembers, maskParameters } from "../language/parameters/schema-masking.ts";
import { Redactor } from "./redactor.ts";

/** Secrets that the schemas of a snapshot declare. */
interface DeclaredSecrets {
	/** True if any parameter is secret, or may contain a secret. */
	readonly hasSecrets: boolean;
	/** Secret defaults, which a run without values uses. */
	readonly defaults: readonly string[];
}

/** Cached by snapshot, because every state of every execution is masked and most actions have no secrets. */
const declaredBySnapshot = new WeakMap<ActionSnapshotEntity, DeclaredSecrets>();

/**
 * Masks the parameters of an execution: secret parameters, and copies of secrets in other parameters.
 *
 * Templates such as `curl -u {{ password }}` copy secrets into other parameters. Returns the same object if nothing is secret.
 */
export function maskExecutionParameters(parameters: JsonObject, snapshot: ActionSnapshotEntity): JsonObject {
	return maskParametersWith(parameters, snapshot, new Redactor(findParameterSecrets(parameters, snapshot)));
}

/** Masks the parameters of an execution by their schemas, and by the given secrets. */
export function maskParametersWith(parameters: JsonObject, snapshot: ActionSnapshotEntity, secrets: Redactor): JsonObject {
	const { action, runner } = snapshot;
	return secrets.redactJson(
		hasSecretParameters(snapshot) ? maskParameters(parameters, action.parameters, runner.runner_parameters) : parameters,
	);
}

/** Returns true if a parameter of the action or its runner is secret, or may contain a secret. */
export function hasSecretParameters(snapshot: ActionSnapshotEntity): boolean {
	return readDeclared(snapshot).hasSecrets;
}

/** Returns the secret strings of parameters according to the schemas. Includes secret defaults, which a run without values uses. */
export function findParameterSecrets(parameters: JsonObject | undefined, snapshot: ActionSnapshotEntity): readonly string[] {
	const { hasSecrets, defaults } = readDeclared(snapshot);
	if (!hasSecrets || parameters === undefined) return defaults;
	return [...defaults, ...collectSecrets(parameters, snapshot.action.parameters, snapshot.runner.runner_parameters)];
}

function readDeclared(snapshot: ActionSnapshotEntity): DeclaredSecrets {
	let declared = declaredBySnapshot.get(snapshot);
	if (declared === undefined) {
		const schemas = [snapshot.action.parameters, snapshot.runner.runner_parameters] as const;
		const values = schemas
			.toReversed()
			.flatMap((schema) => Object.entries(schema).map(([name, { default: value = null }]) => [name, value]));
		declared = {
			hasSecrets: schemas.some(hasSecretMembers),
			defaults: collectSecrets(Object.fromEntries(values) as JsonObject, ...schemas),
		};
		declaredBySnapshot.set(snapshot, declared);
	}
	return declared;
}
