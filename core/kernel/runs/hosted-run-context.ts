import type { JsonObject, RunContext, WriteOperation } from "../../contract/index.ts";

/** What a feature has of a run in whose runner's place it is called, besides what runners have. */
export interface HostedRunContext extends RunContext {
	/** As `saveState`, with what is stored in the same write or not at all: `recover` finds both or is never called. */
	saveStateWith(state: JsonObject, operations: readonly WriteOperation[]): Promise<void>;
	/** As `setRunnerInfo` of a run that is about to end: stored with its end, without a write of its own. */
	noteRunnerInfo(info: JsonObject): void;
}

/** The context of a run that the kernel has given. */
export function toHosted(context: RunContext): HostedRunContext {
	if (!("saveStateWith" in context)) throw new Error("the context of the run is not the kernel's");
	return context as HostedRunContext;
}
