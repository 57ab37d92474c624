import { defineRunner } from "../../core/contract/index.ts";

const toResult = () => ({ succeeded: true, result: { failed: false, succeeded: true, return_code: 0 } });

/** Does nothing and succeeds. */
export const noop = defineRunner("noop", () => ({
	description: "Does nothing.",
	parameters: {},
	capabilities: {},
	run: async () => toResult(),
	runAtOnce: toResult,
}));
