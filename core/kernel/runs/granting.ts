import type { ExecutionEntity, WriteOperation } from "../../contract/index.ts";

/** What a run begins with besides its parameters. */
export interface RunGrant {
	/** What the secret is recognised by: kept with the execution (`token_hash`) from the write on that makes it `running`, until its run has ended. */
	readonly token_hash: string;
	/** Environment variables that its processes get. */
	readonly environment: Readonly<Record<string, string>>;
	/** A value among them that must show nowhere. */
	readonly secret: string;
}

/** Gives runs what they may use of the service. Good only while the execution keeps what it is recognised by. */
export interface Granting {
	/** For an execution that is about to run; undefined: nothing. */
	give(execution: ExecutionEntity): RunGrant | undefined;
	/** The variables of a grant by its secret: whoever goes on with a run has nothing else of it. */
	toEnvironment(secret: string): RunGrant["environment"];
	/** Writes that take back, with the end of a run, what was stored for it besides; also for an execution that was given nothing. */
	takeBack(execution: ExecutionEntity): readonly WriteOperation[];
}

/** Runs get nothing. */
export const noGranting: Granting = { give: () => undefined, toEnvironment: () => ({}), takeBack: () => [] };
