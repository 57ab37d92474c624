import type { ExecutionEntity, Storage } from "../../contract/index.ts";
import type { EngineDependencies } from "../plugins/dependencies.ts";
import type { RunGrant } from "./granting.ts";
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
	const context = { ...prepared.context, environment: { ...prepared.context.environment, ...environment } };
	return { ...prepared, secrets: prepared.secrets.with([], secret), context };
}
