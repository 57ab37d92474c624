import type { ExecutionStatus } from "../../contract/index.ts";

/** Every state of an execution. */
export const executionStatuses: readonly ExecutionStatus[] = [
	"requested",
	"scheduled",
	"delayed",
	"running",
	"succeeded",
	"failed",
	"timeout",
	"abandoned",
	"canceling",
	"canceled",
	"pending",
	"pausing",
	"paused",
	"resuming",
];
