import type { ExecutionEntity, JsonObject } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { OutputChunk } from "../../kernel/executions/executions-api.ts";

/** Options of an action run by the embedding program. */
export interface RunOptions {
	/**
	 * Cancels the execution when it aborts. If it aborts before the execution is submitted, nothing is created, and `created` rejects
	 * with the signal's reason.
	 */
	readonly signal?: AbortSignal;
	/**
	 * Caller of the submission, with the permission checks and errors of `executions.submit`. Default: the program itself, an
	 * administrator named `system_user.user`.
	 */
	readonly principal?: Principal;
	/** User who owns the execution. Only administrators may name a user other than the principal. Default: the principal. */
	readonly user?: string;
	/** Id of the trace to join, or tag of a trace to start. Default: a new trace. */
	readonly trace?: { readonly id: string } | { readonly tag: string };
	/** Milliseconds before the execution is scheduled. Default 0. */
	readonly delay?: number;
}

/** A requested execution. A rejected promise that the program does not use causes no unhandled rejection. */
export interface Run {
	/** Resolves with the requested execution once it is stored. Rejects with the errors of `executions.submit`. */
	readonly created: Promise<ExecutionEntity>;
	/**
	 * Resolves with the completed execution in any final state; see `status`. Rejects like `created`, and with `SVC_UNAVAILABLE` if the
	 * engine is stopped first. In that case another node, or the next start, continues the execution.
	 */
	readonly ended: Promise<ExecutionEntity>;
	/**
	 * Every chunk once, in sequence, until the execution has ended. Each loop begins with the first chunk, at whatever time the loop
	 * starts. Leaving a loop early does not cancel the execution and keeps no resources. Throws the errors that `ended` rejects with.
	 */
	readonly output: AsyncIterable<OutputChunk>;
	/** Requests cancellation of the execution; `ended` resolves once it has ended. Not an error if it has already ended. */
	cancel(): Promise<void>;
}

/** Creates an execution of an action. Returns at once; the promises and the iterator of the run report errors. */
export type RunAction = (action: string, parameters?: JsonObject, options?: RunOptions) => Run;
