import type { JsonObject, SnapshotEntity } from "../contract/index.ts";
import { collectMasked } from "../language/parameters/schema-masking.ts";
import { maskExecutionResult } from "./result-masking.ts";

/** The texts that are secret in a result by the output schema of its action, or the schema of an answer. */
export function findResultSecrets(result: JsonObject, snapshot: SnapshotEntity): readonly string[] {
	return collectMasked(result, maskExecutionResult(result, snapshot));
}
