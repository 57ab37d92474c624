import type { ExecutionEntity, Storage } from "../../contract/index.ts";
import type { EngineDependencies } from "../plugins/dependencies.ts";
import type { Granting, RunGrant } from "./granting.ts";
import type { PreparedRun } from "./prepare-run.ts";

/** Take back what a run was given that somebody else has ended. */
export async function dropGrant(
	execution: ExecutionEntity,
	{ storage, granting, logger }: { readonly storage: Storage; readonly granting: Granting; readonly logger: EngineDependencies["logger"] },
): Promise<void> {
	await storage
		.write(granting.takeBack(execution))
		.catch((error: unknown) => logger.warn("what an ended run was given was not taken back", { execution_id: execution.id, error }));
}

/** Hand the action what it was given: by its environment, and kept out of everything that is stored, shown or logged. */
export function withGrant(prepared: PreparedRun, { environment, secret }: RunGrant): PreparedRun {
	const context = { ...prepared.context, environment: { ...prepared.context.environment, ...environment } };
	return { ...prepared, secrets: prepared.secrets.with([], secret), context };
}
