import { defineCoreAction } from "./define-core-action.ts";

const remote = {
	cmd: { required: true, description: "Command for the shell of each host." },
	hosts: { required: true, description: "Hosts, separated by commas." },
} as const;

/** Actions that turn to other machines. */
export const networkActions = [
	defineCoreAction({
		name: "remote",
		description: "Run a shell command on other machines.",
		runner_type: "remote-shell-cmd",
		parameters: { ...remote, sudo: { default: false, immutable: true } },
	}),
	defineCoreAction({
		name: "remote_sudo",
		description: "Run a shell command on other machines as root, through sudo.",
		runner_type: "remote-shell-cmd",
		parameters: { ...remote, sudo: { default: true, immutable: true } },
	}),
	defineCoreAction({
		name: "http",
		description: "Send an HTTP request.",
		runner_type: "http-request",
		parameters: {
			method: {
				type: "string",
				enum: ["HEAD", "GET", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PURGE"],
				description: "Method; without one POST when there is a body or a file, else GET.",
			},
			params: { type: "object", description: "Members become the query of the address." },
			body: { type: "string", description: "Body of the request." },
			auth: { type: "object", secret: true, description: "Credentials: username and password, or token." },
			timeout: { type: "number", default: 60, description: "Seconds the whole exchange may take." },
			file_name: { type: "string", description: "Name that a file is sent under." },
			file_content: { type: "string", description: "Text to send as a file, in a form." },
			svc_file_path: { type: "string", description: "File to send, in a form." },
			file_content_type: { type: "string", description: "Content type of the file." },
		},
	}),
	defineCoreAction({
		name: "inject_trigger",
		description: "Dispatch a trigger with a payload.",
		runner_type: "inject-trigger",
		parameters: {
			trigger: { type: "string", description: "Ref of the trigger, or of a trigger type without parameters." },
			trigger_name: { type: "string", description: "Old name of trigger; one of the two must be given." },
			payload: { type: "object", description: "Payload of the trigger instance." },
			trace_tag: { type: "string", description: "Tag of the new trace." },
		},
	}),
];
