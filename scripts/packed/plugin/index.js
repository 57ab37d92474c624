import { defineRunner, SvcError } from "svc-automation/contract";

/** The class as this package sees it. */
export const SvcErrorOfPlugin = SvcError;

/** Answers with what it was given. */
export const mirror = defineRunner("mirror", () => ({
	description: "Answers with what it was given.",
	parameters: { text: { type: "string", required: true, description: "What to answer." } },
	capabilities: {},
	run: async ({ runnerParameters: { text } }) => ({ succeeded: true, result: { text } }),
}));
