import type { ExecutionStatus, JsonObject } from "../../../core/contract/index.ts";

/** Journal entry: one decision of a run of a chain. */
export type ChainEntry =
	/** First entry. A run keeps the definition with which it has started. */
	| { readonly type: "begin"; readonly definition: string; readonly vars: JsonObject }
	/** A task has started. `id` is the id of the task, unique in the run; `execution_id` is the id of its execution. */
	| { readonly type: "start"; readonly name: string; readonly id: string; readonly execution_id: string; readonly at: string }
	/** The last started task has ended. */
	| {
			readonly type: "end";
			readonly status: ExecutionStatus;
			readonly liveaction_id: string;
			/** Id of the last execution of the task, if a policy has repeated it. */
			readonly execution_id?: string;
			readonly at: string;
			/** Values that the task has published. */
			readonly published: JsonObject;
			/** By name: the path in the result of the task of a published large string. The journal stores the path instead of a copy. */
			readonly copied?: { readonly [name: string]: readonly string[] };
			/** Error of publishing, which ends the chain. */
			readonly failure?: string;
	  }
	/** A task could not be started. */
	| { readonly type: "refused"; readonly name: string; readonly id: string; readonly at: string; readonly message: string }
	/** The run is paused. The last started execution keeps its state. */
	| { readonly type: "paused" }
	/** The run is resumed with the last started execution. */
	| { readonly type: "resumed" };

export function toEntry(entry: ChainEntry): JsonObject {
	// Every member is JSON. The type system cannot infer this for a union of object types.
	return entry as unknown as JsonObject;
}

/** Casts the entries of a journal, which `toEntry` has created. */
export function toChainEntries(entries: readonly JsonObject[]): readonly ChainEntry[] {
	return entries as unknown as readonly ChainEntry[];
}
