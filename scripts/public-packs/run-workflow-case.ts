import { isDeepStrictEqual } from "node:util";
import type { WorkflowCase } from "./cases.ts";
import type { PackBench } from "./pack-bench.ts";
import type { CaseOutcome } from "./run-case.ts";

/** Run a workflow or a chain, and compare with what is expected. */
export async function runWorkflowCase({ action, parameters, status, output }: WorkflowCase, bench: PackBench): Promise<CaseOutcome> {
	if (!(await bench.service.ask(`/v1/actions/${action}`)).ok) return { action, verdict: "left out", shown: "is not registered" };
	const execution = await bench.execute(action, parameters);
	const result = (execution["result"] ?? {}) as Record<string, unknown>;
	const isExpected = execution["status"] === status && (output === undefined || isDeepStrictEqual(result["output"] ?? null, output));
	const shown = isExpected ? (result["output"] ?? null) : { status: execution["status"], result, refused: execution["faultstring"] };
	return {
		action,
		verdict: isExpected ? "same" : "differs",
		shown: `${status} ${JSON.stringify(shown).slice(0, isExpected ? 120 : 1_500)}`,
	};
}
