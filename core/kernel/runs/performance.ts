import type { ExecutionEntity } from "../../contract/index.ts";
import type { Run } from "./active-runs.ts";
import type { PreparedRun } from "./prepare-run.ts";

/** A run that the runner works at. */
export interface Performance {
	readonly execution: ExecutionEntity;
	readonly run: Run;
	readonly prepared: PreparedRun;
}
