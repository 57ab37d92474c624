import { defineRunner } from "../../core/contract/index.ts";

/** Does nothing, successfully. */
export const noop = defineRunner("noop", () => ({
	description: "Does nothing.",
	parameters: {},
	capabilities: {},
	async run() {
		return { succeeded: true, result: { failed: false, succeeded: true, return_code: 0 } };
	},
}));
