import type { ParameterDefinitions } from "../../core/contract/index.ts";
import { defineBuiltInPack } from "../../core/feature.ts";

const manifest = {
	ref: "chatops",
	name: "chatops",
	description: "Messages between chats and the service.",
	version: "1.0.0",
	author: "svc",
};

const channel = { type: "string", required: true, description: "Channel of the message." } as const;
const user = { type: "string", description: "User to whom the message is addressed." } as const;
const whisper = { type: "boolean", default: false, description: "True if only the user may see the message." } as const;
const context = { type: "object", description: "Context of the chat, returned unchanged." } as const;
const route = { default: "chatops", description: "Route of the bridge: the last word of the name of the event." } as const;
const executionId = { type: "string", required: true, description: "Id of the completed execution." } as const;
const command = { type: "string", required: true, description: "Text of the message." } as const;

/** Actions by name. The runner type `chatops` selects its operation by the name of the action. */
const actions: Readonly<Record<string, readonly [description: string, runnerType: string, parameters: ParameterDefinitions]>> = {
	post_message: [
		"Send a message to a chat.",
		"announcement",
		{
			message: { type: "string", required: true, description: "Text of the message." },
			...{ channel, user, whisper, context },
			extra: { type: "object", description: "Additional data for the chat." },
			route,
			experimental: { default: true, immutable: true, description: "Fixed." },
		},
	],
	post_result: [
		"Send the result of an execution to a chat.",
		"chatops",
		{ execution_id: executionId, channel, user, whisper, context, route },
	],
	format_execution_result: ["Format the result of an execution as a chat message.", "chatops", { execution_id: executionId }],
	match: ["Find the action alias that matches a command.", "chatops", { text: command }],
	match_and_execute: [
		"Run a command.",
		"chatops",
		{
			text: command,
			source_channel: { type: "string", description: "Channel in which the command was written." },
			user: { ...user, description: "Author of the command." },
		},
	],
	run: [
		"Run the action that a chat command selects, and send the result of its execution to the chat.",
		"chatops",
		{ text: command, channel, user, whisper, route },
	],
};

/** Built-in pack for chat. Its actions are available if their runner types are configured. */
export const chatopsPack = defineBuiltInPack(
	manifest,
	Object.fromEntries(
		Object.entries(actions).map(([name, [description, runner_type, parameters]]) => [name, { description, runner_type, parameters }]),
	),
);
