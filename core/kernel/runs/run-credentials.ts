import type { ExecutionEntity, Storage } from "../../contract/index.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import type { Granting, RunGrant } from "./granting.ts";
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
