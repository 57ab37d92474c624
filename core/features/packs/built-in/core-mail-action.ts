import { defineCoreAction } from "./define-core-action.ts";

/** Sends mail by way of the machine's own mail system. All its parameters are the runner's. */
export const mailActions = [
	defineCoreAction({
		name: "sendmail",
		description: "Send a mail with the sendmail command of this machine.",
		runner_type: "sendmail",
		parameters: {},
	}),
];
