import type { ExecutionStatus, JsonObject } from "../../../core/contract/index.ts";

/** What a run of a chain has decided. */
export type ChainEntry =
	/** The first one: a run keeps the definition that it has begun with. */
	| { readonly type: "begin"; readonly definition: string; readonly vars: JsonObject }
	/** A task begins: `id` is its own, unique in the run, beside that of its execution. */
	| { readonly type: "start"; readonly name: string; readonly id: string; readonly execution_id: string; readonly at: string }
	/** The task that has begun last has ended. */
	| {
			readonly type: "end";
			readonly status: ExecutionStatus;
			readonly liveaction_id: string;
			/** The last of its executions, where a policy has had it run again. */
			readonly execution_id?: string;
			readonly at: string;
			/** What of it is new. */
			readonly published: JsonObject;
			/** What is large and stands in the result of the task: where. */
			readonly copied?: { readonly [name: string]: readonly string[] };
			/** Why nothing could be published, which ends the chain. */
			readonly failure?: string;
	  }
	/** A task that could not be started. */
	| { readonly type: "refused"; readonly name: string; readonly id: string; readonly at: string; readonly message: string }
	/** It stands still, with the execution that has begun last as it is. */
	| { readonly type: "paused" }
	/** It goes on, with that execution. */
	| { readonly type: "resumed" };

export function toEntry(entry: ChainEntry): JsonObject {
	// Every member is one of JSON, which the type system does not see in a union of shapes.
	return entry as unknown as JsonObject;
}

/** A journal holds what `toEntry` has made. */
export function toChainEntries(entries: readonly JsonObject[]): readonly ChainEntry[] {
	return entries as unknown as readonly ChainEntry[];
}
