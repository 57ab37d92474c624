import { defineCoreAction } from "./define-core-action.ts";

/** Actions that turn to people. */
export const questionActions = [
	defineCoreAction({
		name: "ask",
		description: "Ask a question, and wait until somebody answers it.",
		runner_type: "inquirer",
		parameters: {},
	}),
	defineCoreAction({
		name: "announcement",
		description: "Publish a message on the general event stream.",
		runner_type: "announcement",
		parameters: {
			message: { type: "object", required: true, description: "What to publish." },
			experimental: { default: true, immutable: true, description: "Fixed." },
		},
	}),
];
