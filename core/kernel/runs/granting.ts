import type { ExecutionEntity, WriteOperation } from "../../contract/index.ts";

/** What a run begins with besides its parameters. */
export interface RunGrant {
	/** Stored in the write that makes the execution `running`. */
	readonly operations: readonly WriteOperation[];
	/** Environment variables that its processes get. */
	readonly environment: Readonly<Record<string, string>>;
	/** A value among them that must show nowhere. */
	readonly secret: string;
}

/** Gives runs what they may use of the service, and takes it back with their end. */
export interface Granting {
	/** For an execution that is about to run; undefined: nothing. */
	give(execution: ExecutionEntity): RunGrant | undefined;
	/** Writes that take everything back; also for an execution that was given nothing. */
	takeBack(execution: ExecutionEntity): readonly WriteOperation[];
}

/** Runs get nothing. */
export const noGranting: Granting = { give: () => undefined, takeBack: () => [] };
