import type { ExecutionEntity, Storage, WriteOperation } from "../../contract/index.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import type { PreparedRun } from "./prepare-run.ts";

/** Take back what a run was given that has gone without an end of its own. Whoever has ended it, or goes on with it, has done so already. */
export async function dropGrant(
	{ id, token_hash }: ExecutionEntity,
	{ storage, logger }: { readonly storage: Storage; readonly logger: EngineDependencies["logger"] },
): Promise<void> {
	await storage
		.update("execution", id, { token_hash: null }, { token_hash })
		.catch((error: unknown) => logger.warn("what an ended run was given was not taken back", { execution_id: id, error }));
}

/** Hand the action what it was given: by its environment, and kept out of everything that is stored, shown or logged. */
export function withGrant(prepared: PreparedRun, { environment, secret }: RunGrant): PreparedRun {
	return { ...withEnvironment(prepared, environment), secrets: prepared.secrets.with([], secret) };
}

/** Hand a run that is gone on with what it was given when it began. */
export function withGrantAgain(prepared: PreparedRun, granting: Pick<Granting, "toEnvironment">): PreparedRun {
	const { token } = prepared.secrets;
	return token === undefined ? prepared : withEnvironment(prepared, granting.toEnvironment(token));
}

function withEnvironment(prepared: PreparedRun, environment: RunGrant["environment"]): PreparedRun {
	// Into an empty object: what is added behind a spread costs as much as the rest of the run's preparation.
	const whole = Object.assign({}, prepared.context.environment, environment);
	return { ...prepared, context: { ...prepared.context, environment: whole } };
}

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
