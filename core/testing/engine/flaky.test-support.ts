import { defineRunner, isJsonObject, type JsonObject } from "../../contract/index.ts";

/**
 * A runner whose runs fail, hang or succeed by how often a policy has had them run again. Its result says the number of the run (`run`),
 * from 0.
 */
export const flaky = defineRunner("flaky", () => ({
	description: "Succeeds after some runs.",
	capabilities: { cancellation: true },
	parameters: {
		failures: { type: "integer", default: 0, description: "Runs that fail before one succeeds." },
		hangs: { type: "integer", default: 0, description: "Runs that never end by themselves before one succeeds." },
	},
	async run({ runnerParameters: { failures, hangs }, context, signal }) {
		const run = countOf(context);
		if (run < hangs && !signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
		return { succeeded: run >= failures && !signal.aborted, result: { run, stdout: `run ${run}` } };
	},
}));

function countOf({ policies }: JsonObject): number {
	const counts = isJsonObject(policies) ? Object.values(policies) : [];
	return counts.reduce<number>((sum, applied) => sum + (isJsonObject(applied) ? Number(applied["retry_count"]) : 0), 0);
}
