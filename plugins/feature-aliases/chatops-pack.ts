import type { ParameterDefinitions } from "../../core/contract/index.ts";
import { defineBuiltInPack } from "../../core/feature.ts";

const manifest = {
	ref: "chatops",
	name: "chatops",
	description: "What chats and the service say to each other.",
	version: "1.0.0",
	author: "svc",
};

const channel = { type: "string", required: true, description: "Where it is said." } as const;
const user = { type: "string", description: "Whom it is for." } as const;
const whisper = { type: "boolean", default: false, description: "Whether only the user is to see it." } as const;
const context = { type: "object", description: "The chat's own, given back unchanged." } as const;
const route = { default: "chatops", description: "Of the bridge; the last word of the event that tells it." } as const;
const executionId = { type: "string", required: true, description: "The execution that has ended." } as const;
const command = { type: "string", required: true, description: "What somebody has written." } as const;

/** Actions by name. The runner type `chatops` selects its operation by the name of the action. */
const actions: Readonly<Record<string, readonly [description: string, runnerType: string, parameters: ParameterDefinitions]>> = {
	post_message: [
		"Say something in a chat.",
		"announcement",
		{
			message: { type: "string", required: true, description: "What is said." },
			...{ channel, user, whisper, context },
			extra: { type: "object", description: "Data for the chat." },
			route,
			experimental: { default: true, immutable: true, description: "Fixed." },
		},
	],
	post_result: [
		"Say in a chat what has come of an execution.",
		"chatops",
		{ execution_id: executionId, channel, user, whisper, context, route },
	],
	format_execution_result: ["Make what is said of the end of an execution.", "chatops", { execution_id: executionId }],
	match: ["Find the action alias that a command fits.", "chatops", { text: command }],
	match_and_execute: [
		"Start what a command asks for.",
		"chatops",
		{
			text: command,
			source_channel: { type: "string", description: "Where it was written." },
			user: { ...user, description: "Whoever wrote it." },
		},
	],
	run: [
		"Start what a command asks for, and say in the chat what has come of it.",
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
