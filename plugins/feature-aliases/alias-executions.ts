import {
	isSvcError,
	type JsonObject,
	type JsonValue,
	type ParameterDefinitions,
	SvcError,
	toErrorMessage,
} from "../../core/contract/index.ts";
import { type ExecutionView, type Kernel, mergeSchemas, type Principal, type SubmitInput } from "../../core/feature.ts";
import type { AliasMatch, AliasOrigin } from "./aliases-exports.ts";
import type { CommandValues } from "./format/alias-format.ts";

export interface AliasExecutionDependencies extends Pick<Kernel, "catalog" | "executions"> {
	/** Creates or updates the rule that delivers answers to chats. */
	readonly answer: () => Promise<void>;
}

/** Starts the executions that a command requests. */
export class AliasExecutions {
	readonly #parts: AliasExecutionDependencies;

	constructor(parts: AliasExecutionDependencies) {
		this.#parts = parts;
	}

	/** Starts the executions sequentially, in the order of the command. */
	async start(match: AliasMatch, origin: AliasOrigin, principal: Principal): Promise<readonly ExecutionView[]> {
		if (origin.notification_route || origin.notification_channel) await this.#parts.answer();
		const schema = await this.#schemaOf(match.alias.action_ref);
		const requests = match.values.map((values) => toRequest(match, values, { schema, origin, principal }));
		const started: ExecutionView[] = [];
		for (const request of requests) {
			try {
				started.push(await this.#parts.executions.submit(request, principal));
			} catch (error) {
				throw withStarted(error, started);
			}
		}
		return started;
	}

	async #schemaOf(actionRef: string): Promise<ParameterDefinitions> {
		const resolved = await this.#parts.catalog.resolve(actionRef);
		return resolved === undefined ? {} : mergeSchemas(resolved.runnerType.runner_parameters, resolved.action.parameters);
	}
}

interface Asked {
	readonly schema: ParameterDefinitions;
	readonly origin: AliasOrigin;
	readonly principal: Principal;
}

function toRequest({ alias }: AliasMatch, values: CommandValues, { schema, origin, principal }: Asked): SubmitInput {
	const { immutable_parameters: fixed } = alias;
	const names = Object.keys(values);
	const taken = names.find((name) => Object.hasOwn(fixed, name));
	if (taken !== undefined)
		throw new SvcError("SVC_INVALID", `command: must not set "${taken.slice(0, 100)}", which action alias "${alias.ref}" sets`);
	const given = Object.entries(values).map(([name, value]) => [
		name,
		toGiven(value, Object.hasOwn(schema, name) ? schema[name]?.type : undefined),
	]);
	return {
		action: alias.action_ref,
		parameters: { ...fixed, ...Object.fromEntries(given) },
		// Values from a chat are plain strings. They must never be rendered as templates, because any chat user can write them.
		literalParameters: names,
		...(alias.author !== null && { writer: { author: alias.author, scopes: alias.scopes, pack: alias.pack } }),
		context: {
			action_alias_ref: { id: alias.id, name: alias.name },
			source_channel: origin.source_channel,
			...toNamedUser(origin.user, principal),
			...(origin.parent !== undefined && { parent: { execution_id: origin.parent } }),
		},
		...toNotify(origin),
	};
}

/** Returns the value of a parameter. A list may be given as items separated by commas. */
function toGiven(text: string, type: unknown): JsonValue {
	const isList = [type].flat().includes("array") && ![type].flat().includes("string");
	if (!isList || text.trimStart().startsWith("[")) return text;
	return text
		.split(",")
		.map((item) => item.trim())
		.filter((item) => item !== "");
}

/**
 * Returns the chat user for the context of the execution. If the caller is an administrator, templates read the datastore items of the chat
 * user, otherwise those of the caller: only administrators act for other users.
 */
function toNamedUser(user: string | null | undefined, { username, isAdmin }: Principal): JsonObject {
	if (user === undefined || user === null || user === "") return {};
	return { api_user: user, ...(!isAdmin && user !== username && { item_user: username }) };
}

/** Returns the notification that delivers the answer to the chat. The data of the chat must not be rendered as templates. */
function toNotify({ user, source_channel, source_context, notification_route, notification_channel }: AliasOrigin): Partial<SubmitInput> {
	const route = notification_route || notification_channel;
	if (!route) return {};
	const data = { user: user ?? null, source_channel, source_context: source_context ?? null };
	return { notify: { "on-complete": { routes: [route], data, literal: true } }, isNotifyFirst: true };
}

/** Returns the error with the ids of the executions that were started before it, because they continue to run. */
function withStarted(error: unknown, started: readonly ExecutionView[]): unknown {
	if (started.length === 0 || !isSvcError(error)) return error;
	const ids = started.map(({ entity }) => entity.id).join(", ");
	return new SvcError(error.code, `${toErrorMessage(error)}; started before that: ${ids}`, { cause: error });
}
