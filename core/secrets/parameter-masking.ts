import type { JsonObject, ParameterSchema, SnapshotEntity } from "../contract/index.ts";
import { collectSecrets, holdsSecret, maskParameters } from "../language/parameters/schema-masking.ts";
import { KnownSecrets } from "./redactor.ts";

/** Defaults that are secret, found once for each snapshot. */
const secretDefaults = new WeakMap<SnapshotEntity, readonly string[]>();
/** Whether any parameter may hold a secret, found likewise: most actions have none, and every state of every execution is shown. */
const secretive = new WeakMap<SnapshotEntity, boolean>();

/**
 * Parameters of an execution as they are shown: secret ones masked, and the texts of secrets taken out of the others, into which
 * templates such as `curl -u {{ password }}` carry them. The same object when nothing is secret.
 */
export function toShownParameters(parameters: JsonObject, snapshot: SnapshotEntity): JsonObject {
	return hideSecrets(parameters, snapshot, new KnownSecrets(findSecrets(parameters, snapshot)));
}

/** The same where it is known what is secret, besides what the schemas say. */
export function hideSecrets(parameters: JsonObject, snapshot: SnapshotEntity, secrets: KnownSecrets): JsonObject {
	const { action, runner } = snapshot;
	return secrets.json(takesSecrets(snapshot) ? maskParameters(parameters, action.parameters, runner.runner_parameters) : parameters);
}

/** Whether a parameter of the action or its runner is secret, or may hold something that is. */
export function takesSecrets(snapshot: SnapshotEntity): boolean {
	let found = secretive.get(snapshot);
	if (found === undefined) {
		const { action, runner } = snapshot;
		found = [action.parameters, runner.runner_parameters].some((schema) => Object.values(schema).some(holdsSecret));
		secretive.set(snapshot, found);
	}
	return found;
}

/** The texts that are secret by the schemas among the parameters, and defaults, with which a run begins that is given none. */
export function findSecrets(parameters: JsonObject | undefined, snapshot: SnapshotEntity): readonly string[] {
	const schemas = [snapshot.action.parameters, snapshot.runner.runner_parameters] as const;
	const defaults = toSecretDefaults(snapshot, schemas);
	if (!takesSecrets(snapshot)) return defaults;
	if (parameters === undefined || maskParameters(parameters, ...schemas) === parameters) return defaults;
	return [...defaults, ...collectSecrets(parameters, ...schemas)];
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
