import type { ExecutionEntity, JsonObject } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { OutputChunk } from "../../kernel/executions/executions-api.ts";

/** How an action is run, and for whom. */
export interface RunOptions {
	/** Cancels the execution. Aborted before there is one, nothing is created and `created` rejects with the signal's reason. */
	readonly signal?: AbortSignal;
	/** Whoever asks, with the rights and errors of `executions.submit`. Default: the program itself, an administrator named `system_user.user`. */
	readonly principal?: Principal;
	/** User the execution is of; another one than the principal only for administrators. Default: the principal. */
	readonly user?: string;
	/** The trace to join by its id, or to open with a tag. Default: a new trace. */
	readonly trace?: { readonly id: string } | { readonly tag: string };
	/** Milliseconds before the execution is scheduled. Default 0. */
	readonly delay?: number;
}

/** An execution that was asked for. What is not looked at may reject without harm. */
export interface Run {
	/** The execution as it was requested, once it is stored. Rejects as `executions.submit` does. */
	readonly created: Promise<ExecutionEntity>;
	/**
	 * The execution at its end, whatever the end is: look at `status`. Rejects as `created` does, and with `SVC_UNAVAILABLE` when the
	 * engine is stopped first; another node, or the next start, then goes on with the execution.
	 */
	readonly ended: Promise<ExecutionEntity>;
	/**
	 * Every chunk once, in sequence, until the execution has ended. Each loop begins with the first chunk, whenever it begins. Leaving a
	 * loop early neither cancels the execution nor holds anything. Throws what `ended` rejects with.
	 */
	readonly output: AsyncIterable<OutputChunk>;
	/** Ask for the end of the execution; `ended` tells when it is there. Too late is no error. */
	cancel(): Promise<void>;
}

/** Create an execution of an action. Returns at once; errors come with what is awaited. */
export type RunAction = (action: string, parameters?: JsonObject, options?: RunOptions) => Run;
